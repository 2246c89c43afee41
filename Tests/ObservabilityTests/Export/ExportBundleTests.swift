import Explain
import FoundationEssentials
import JSON
import Testing
import Vault

@testable import Observability

@Suite struct ExportBundleTests {
  static func bundle(_ example: ExportExample) -> ExportBundle {
    ExportBundle(
      selection: ExportSelection(of: example.log),
      surroundings: .init(
        version: "1.0", createdAt: Timestamp(milliseconds: 1_790_000_100_000), backend: "https://backend.test", isEmbedded: true,
        session: "authenticated", dropped: 3,
        timeline: [
          TimelineEntry(
            seq: 1, at: Timestamp(milliseconds: 1_790_000_000_000), kind: .session, from: "signed_out", to: "authenticated",
            name: nil, reason: "a|b", rowID: nil)
        ], faults: Array("[]".utf8)), viewer: ViewerPage(Array("<main>\(ViewerPage.place)</main>".utf8)))
  }

  @Test func theBundleHoldsEveryPart() throws {
    let bundle = Self.bundle(ExportExample())
    let names = bundle.files.map(\.name)
    #expect(
      names.prefix(8) == [
        "report.md", "viewer.html", "session.har", "rows.json", "timeline.json", "faults.json", "versions.json",
        "redactions.json",
      ])
    #expect(names.dropFirst(8).count == bundle.selection.rows.count && names.contains("curl/000001-GET-me.sh"))
    for file in bundle.files where file.name.hasSuffix(".json") {
      #expect((try? JSONDocument(parsing: ExportExample.bytes(file))) != nil, "\(file.name)")
    }
    for file in bundle.files {
      #expect(ExportExample.bytes(file) == ExportExample.bytes(file), "\(file.name) differs when made again")
    }
  }

  @Test func rowsAreWhatTheDetailAnswers() throws {
    let example = ExportExample()
    for row in example.rows {
      #expect(
        String(decoding: row.json, as: UTF8.self) == String(decoding: try JSONCoding.encode(row), as: UTF8.self))
      #expect(
        String(decoding: row.row.json, as: UTF8.self) == String(decoding: try JSONCoding.encode(row.row), as: UTF8.self))
    }
    #expect(example.rows.contains { $0.row.isRedacted } && example.rows.contains { $0.row.waitMilliseconds != nil })
    let page = example.log.rows()
    #expect(String(decoding: page.json, as: UTF8.self) == String(decoding: try JSONCoding.encode(page), as: UTF8.self))
    let list = try JSONDocument(parsing: ExportExample.bytes(Self.bundle(example).json)).root
    #expect(list.elements.map { $0["id"]?.string } == example.rows.map(\.row.id))
  }

  @Test func theSelectionIsExactlyWhatWasChosen() throws {
    let example = ExportExample(plain: 50)
    let all = example.rows.map(\.row.id)
    let chosen = Set([all[3], all[40], all[7], "unknown"])
    #expect(ExportSelection(of: example.log, ids: chosen).rows.map(\.row.id) == [all[3], all[7], all[40]])
    var filter = NetworkFilter()
    filter.after = 10
    filter.limit = 5
    #expect(ExportSelection(of: example.log, filter: filter).rows.map(\.row.seq) == [11, 12, 13, 14, 15])
    #expect(ExportSelection(of: example.log, filter: filter, ids: chosen).rows.map(\.row.id) == [all[40]])
    #expect(ExportSelection(of: example.log, ids: []).rows.isEmpty)
  }

  @Test func aSelectionDoesNotSayWhyTheSessionEnded() throws {
    let example = ExportExample(plain: 5)
    var filter = NetworkFilter()
    filter.limit = 3
    let whole = Self.bundle(example)
    for selection in [
      ExportSelection(of: example.log, filter: filter), ExportSelection(of: example.log, ids: [example.rows[0].row.id]),
    ] {
      let part = ExportBundle(
        selection: selection.masked(by: example.registry), surroundings: whole.surroundings,
        viewer: ViewerPage(Array(ViewerPage.place.utf8)))
      for (bundle, isExplained) in [(whole, true), (part, false)] {
        let texts = bundle.files.prefix(2).map { String(decoding: ExportExample.bytes($0), as: UTF8.self) }
        #expect(texts[0].hasPrefix("# Session report\n\n**") == isExplained)
        #expect(texts[1].contains("id=\"explanation\"") == isExplained)
      }
    }
  }

  @Test func moreRowsThanAPageHasAreAllThere() {
    let example = ExportExample(plain: 12_345)
    #expect(example.rows.map(\.row.seq.number) == Array(1...12_345))
  }

  @Test func theReportNamesWhatFailed() {
    let text = SessionReport.text(
      rows: ExportExample().rows, explanation: Explanation.examples.last, surroundings: Self.bundle(ExportExample()).surroundings)
    let beginning = """
      # Session report

      **Signed out at 00:00:00 UTC on 1970-01-01.**

      - The fault rule "" made or changed the response in row 1. (Row: 1)
      """
    #expect(text.hasPrefix(beginning))
    #expect(text.contains("| Requests | 7, 2 failed, 1 under a fault rule, 3 older ones were dropped |"))
    #expect(text.contains("503 `unavailable`") && text.contains("No response: `no byte for 30 s`"))
    #expect(
      text.contains("503 `unavailable` · fault rule `Down \\| ‹email:") && text.contains(" (status)` |"), "a fault is no defect")
    #expect(text.contains(#"a\|b"#), "a bar would end the cell")
  }

  @Test func theViewerCarriesRowsThatCannotEndTheirElement() throws {
    let example = ExportExample()
    let file = try #require(Self.bundle(example).files.first { $0.name == "viewer.html" })
    let page = String(decoding: ExportExample.bytes(file), as: UTF8.self)
    #expect(page.hasPrefix("<main><script") && page.hasSuffix("</main>"))
    let parts = page.split(separator: "<script type=\"application/json\" id=\"rows\">")
    let data = try #require(parts.last?.split(separator: "</script>").first)
    #expect(try JSONDocument(parsing: Array(data.utf8)).root.elements.count == example.rows.count)
    let explanation = page.split(separator: #"<script type="application/json" id="explanation">"#).last?.split(
      separator: "</script>"
    ).first
    #expect(try JSONDocument(parsing: Array(try #require(explanation).utf8)).root["verdict"]?.string != nil)
    // The closing tags are those of the five documents.
    #expect(page.split(separator: "</script>", omittingEmptySubsequences: false).count == 6)
  }

  @Test func redactionsAreCounted() throws {
    let report = try JSONDocument(parsing: RedactionReport.json(ExportExample().rows)).root
    #expect(report["rows"]?.int64 == 7)
    #expect((report["by_kind"]?["email"]?.int64 ?? 0) >= 2 && (report["by_kind"]?["token"]?.int64 ?? 0) >= 2)
    #expect((report["bodies_left_out"]?["not kept"]?.int64 ?? 0) >= 2)
  }
}
