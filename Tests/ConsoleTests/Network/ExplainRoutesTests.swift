import Explain
import Foundation
import HTTPTypes
import JSON
import Observability
import Support
import Testing

@testable import Console

/// Explanations of the device's log and of recordings, over HTTP.
@Suite(.timeLimit(.minutes(1))) struct ExplainRoutesTests {
  private let harness: ConsoleHarness
  private let caller: ConsoleHarness.Caller

  init() async throws {
    harness = try await ConsoleHarness()
    caller = try await harness.signedIn()
  }

  private func ask(_ method: HTTPRequest.Method, _ path: String, _ body: String? = nil) async -> ConsoleHarness.Answer {
    await harness.call(method, path, body, as: caller)
  }

  private func kinds(_ answer: ConsoleHarness.Answer) -> [String] {
    answer.json?["findings"]?.elements.compactMap { $0["kind"]?.string } ?? []
  }

  @Test func theLogOfADeviceIsExplainedAndOutlivesItInARecording() async throws {
    #expect(await ask(.get, "/api/account").status == 200)
    let kept = await ask(.get, "/api/explain")
    #expect(kept.status == 200 && kept.json?["verdict"]?.string == "session_kept" && kinds(kept) == [])
    #expect(kept.json?["families"]?.elements.first?["uses"]?.elements.first?["what"]?.string == "issued")

    #expect(await ask(.post, "/api/logout", "{}").status < 300)
    let ended = await ask(.get, "/api/explain")
    #expect(ended.json?["verdict"]?.string == "signed_out" && kinds(ended) == ["user_signed_out"])
    let rows = await ask(.get, "/api/network").json?["events"]?.elements ?? []
    let signOut = try #require(rows.last { $0["endpoint"]?.string == "logout" }?["seq"]?.int64)
    let finding = try #require(ended.json?["findings"]?.elements.first)
    #expect(finding["rows"]?.elements.compactMap(\.int64).contains(signOut) == true)
    #expect(finding["say"]?.string?.hasPrefix("The user signed out: ") == true)
    #expect(finding["values"]?["sign_out"]?["row"]?.int64 == signOut)

    let saved = await ask(.post, "/api/recordings", #"{"title":"End"}"#)
    let id = try #require(saved.json?["id"]?.string)
    #expect(await ask(.delete, "/api/network").status == 200)
    let recorded = await ask(.get, "/api/recordings/\(id)/explain").json
    for member in ["verdict", "findings", "families", "missing", "lacks", "evidence"] {
      #expect(recorded?[member] != nil && recorded?[member]?.sourceText == ended.json?[member]?.sourceText, "\(member)")
    }
    // A recording can be of another client.
    #expect(recorded?["promises"] == nil && ended.json?["promises"] != nil)
    let empty = await ask(.get, "/api/explain")
    #expect(empty.json?["verdict"]?.string == "unknown" && empty.json?["missing"]?.count == 1)
  }

  @Test func theFaultRuleThatEndedASessionIsNamed() async throws {
    let rule = #"{"name":"Gone","match":{"endpoint":"refresh_tokens"},"action":{"kind":"status","status":401}}"#
    #expect(await ask(.post, "/api/faults", rule).status == 201)
    _ = await ask(.post, "/api/session/refresh")
    let answer = await ask(.get, "/api/explain")
    let fault = answer.json?["findings"]?.elements.first { $0["kind"]?.string == "fault" }
    #expect(fault?["values"]?["name"]?["text"]?.string == "Gone")
  }

  @Test func anImportedFileIsExplained() async throws {
    let file = Self.folder.appending(path: "cognito-race.har")
    let answer = try await explainedImport(String(contentsOf: file, encoding: .utf8)).answer
    #expect(kinds(answer) == ["refresh_race"])
    let core = answer.json?["findings"]?.elements.first?["rows"]?.elements.compactMap(\.int64) ?? []
    #expect(Set(core).isSuperset(of: [3, 4]))
  }

  /// What an explanation says: the verdict, and the kinds with their rows.
  private func said(_ json: JSONNode?) -> [String] {
    [json?["verdict"]?.string ?? ""]
      + (json?["findings"]?.elements ?? []).map { "\($0["kind"]?.string ?? "") \($0["rows"]?.sourceText ?? "")" }
  }

  /// What an export of a recording has.
  private func bundle(of id: String) async throws -> ExportBundle {
    let store = RecordingStore(store: harness.savedLog)
    let saved = try #require(try await store.recording(id))
    var rows: [NetworkRowDetail] = []
    try await store.eachRow(of: saved) { rows.append($0) }
    let about = ExportBundle.Surroundings(
      version: "1", createdAt: Timestamp(milliseconds: 0), backend: "", isEmbedded: false, session: "", dropped: 0, timeline: [],
      faults: [])
    return ExportBundle(selection: ExportSelection(rows: rows), surroundings: about, viewer: nil)
  }

  private static let folder = URL(fileURLWithPath: #filePath).appending(path: "../../../Fixtures/sessions").standardized

  /// Imports a file, and returns the recording's id with its explanation.
  private func explainedImport(_ file: String) async throws -> (id: String, answer: ConsoleHarness.Answer) {
    let imported = await ask(.post, "/api/recordings/import", file)
    let id = try #require(imported.json?["id"]?.string)
    return (id, await ask(.get, "/api/recordings/\(id)/explain"))
  }

  /// What an explanation of the file itself says.
  private func explained(_ bytes: [UInt8]) throws -> [String] {
    said(try JSONDocument(parsing: JSONCoding.encode(ExplainedRecording.explanation(of: bytes))).root)
  }

  /// Masks hide tokens, cookies and other programs' texts, and leave what an explanation needs.
  @Test func importedLogsAreExplainedLikeTheirFiles() async throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { $0.hasSuffix(".har") }.sorted()
    #expect(names.count >= 60)
    for name in names {
      let file = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
      let (id, answer) = try await explainedImport(file)
      #expect(try said(answer.json) == explained(Array(file.utf8)), "\(name)")
      #expect(await ask(.delete, "/api/recordings/\(id)").status < 300)
    }
  }

  /// One log of each program and each kind of finding.
  @Test func exportsOfImportedLogsAreExplainedLikeTheirFiles() async throws {
    let names = [
      "after-sign-out", "auto-logout", "charles-lifetime-over", "charles-page", "chrome-cookie-race", "cleaned-rate-limited",
      "clock-dpop", "cookie-refused", "elsewhere-said", "fault", "fiddler-graphql-rejected", "kept-graphql",
      "mitmproxy-header-reused", "postman-access-as-refresh", "sent-again",
    ]
    var found: Set<String> = []
    for name in names {
      let file = try String(contentsOf: Self.folder.appending(path: "\(name).har"), encoding: .utf8)
      let expected = try explained(Array(file.utf8))
      let (id, answer) = try await explainedImport(file)
      found.formUnion(kinds(answer))
      let bundle = try await bundle(of: id)
      for file in [bundle.har, bundle.json] {
        let exported = (0..<file.pieceCount).flatMap { file.piece($0) }
        #expect(try explained(exported) == expected, "\(name) as \(file.name)")
        let (second, again) = try await explainedImport(String(decoding: exported, as: UTF8.self))
        #expect(said(again.json) == expected, "\(name) as \(file.name), imported again")
        #expect(await ask(.delete, "/api/recordings/\(second)").status < 300)
      }
      #expect(await ask(.delete, "/api/recordings/\(id)").status < 300)
    }
    #expect(found == Set(Finding.Kind.allCases.map(\.rawValue)))
  }

  @Test func onlyWhoReadsTheRowsReadsTheExplanation() async throws {
    #expect(await ask(.get, "/api/recordings/unknown/explain").status == 404)
    #expect(await harness.call(.get, "/api/explain", as: .init()).status == 401)
    // The log of another device is another one.
    let other = try await harness.caller()
    #expect(await harness.call(.get, "/api/explain", as: other).json?["verdict"]?.string == "unknown")
  }
}
