import Explain
import Foundation
import JSON
import Testing

@testable import Observability

/// Logs of many products, each with what must be found: `NAME.har` and `NAME.expect.json`.
@Suite(.timeLimit(.minutes(1))) struct ExplainedRecordingTests {
  /// What a log's explanation must say.
  struct Expectation: Sendable, CustomStringConvertible {
    let name: String
    let verdict: String
    /// The rows that each kind must name.
    let core: [String: Set<Int>]

    var description: String { name }
  }

  private static let folder = URL(fileURLWithPath: #filePath).appending(path: "../../../Fixtures/sessions").standardized

  static let all: [Expectation] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".expect.json") }.sorted().compactMap { name in
      guard let data = try? Data(contentsOf: folder.appending(path: name)),
        let root = try? JSONDocument(parsing: [UInt8](data)).root,
        let file = root["file"]?.string, let verdict = root["verdict"]?.string
      else { return nil }
      let findings = (root["findings"]?.elements ?? []).map { finding in
        (finding["kind"]?.string ?? "", Set((finding["core"]?.elements ?? []).compactMap { $0.int64.map { Int($0) } }))
      }
      // A session that was kept has no finding.
      return Expectation(
        name: file, verdict: verdict,
        core: Dictionary(findings.filter { $0.0 != "none" }, uniquingKeysWith: { $0.union($1) }))
    }
  }()

  private static func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: folder.appending(path: name))) }

  @Test func everyLogHasAnExpectation() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { $0.hasSuffix(".har") }
    #expect(Self.all.count == names.count && names.count >= 60)
    let kinds = Set(Self.all.flatMap { $0.core.keys })
    #expect(kinds == Set(Finding.Kind.allCases.map(\.rawValue)))
  }

  @Test(arguments: all) func causeAndRowsAreFound(_ expected: Expectation) throws {
    let explanation = try ExplainedRecording.explanation(of: Self.bytes(expected.name))
    #expect(explanation.verdict.rawValue == expected.verdict)
    #expect(Set(explanation.findings.map(\.kind.rawValue)) == Set(expected.core.keys))
    for finding in explanation.findings {
      #expect(expected.core[finding.kind.rawValue]?.isSubset(of: finding.rows) == true)
      #expect(!finding.say.contains("?") && !finding.say.contains("{"), "a sentence without its values")
    }
    #expect(Set(explanation.evidence.map(\.row)) == Set(explanation.findings.flatMap(\.rows)))
  }

  /// Whether an explanation is valid JSON, and contains no word of the file that is long and random.
  @Test(arguments: all) func explanationHasNoSecret(_ expected: Expectation) throws {
    let bytes = try Self.bytes(expected.name)
    let written = String(decoding: try JSONCoding.encode(ExplainedRecording.explanation(of: bytes)), as: UTF8.self)
    let words = String(decoding: bytes, as: UTF8.self).split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "-" }
    for word in Set(words) where word.utf8.count >= 20 && word.contains(where: \.isNumber) {
      #expect(!written.contains(word))
    }
  }

  @Test(arguments: ["01-harborline.har", "kept-two-devices.har", "old-token.har"])
  func orderOfEntriesDoesNotMatter(name: String) throws {
    let bytes = try Self.bytes(name)
    let root = try JSONDocument(parsing: bytes).root
    let entries = root["log"]?["entries"]?.elements.map(\.sourceText) ?? []
    let reversed = #"{"log":{"entries":["# + entries.reversed().joined(separator: ",") + "]}}"
    let (first, second) = try (
      ExplainedRecording.explanation(of: bytes), ExplainedRecording.explanation(of: Array(reversed.utf8))
    )
    #expect(first.verdict == second.verdict && first.findings.map(\.kind) == second.findings.map(\.kind))
    let mirrored = second.findings.map { $0.rows.map { entries.count + 1 - $0 }.sorted() }
    #expect(first.findings.map(\.rows) == mirrored)
  }

  /// Understudy writes the error of a row that has a response, too; in other files it stands for a response.
  @Test(arguments: [(#""_id":"a","#, "refresh_refused"), ("", "refresh_not_a_verdict")])
  func errorOfAnOwnRowLeavesItsStatus(member: String, kind: String) throws {
    let text = #"""
      {"log":{"entries":[{\#(member)"startedDateTime":"2026-05-04T10:00:00.000Z","time":5,"_error":"unauthorized",
      "request":{"method":"POST","url":"https://api.example.com/auth/refresh","headers":[],
      "postData":{"mimeType":"application/json","text":"{\"refresh_token\":\"refresh-one-1\"}"}},
      "response":{"status":401,"headers":[],"content":{"mimeType":"text/plain","text":"no"}}},
      {"startedDateTime":"2026-05-04T10:00:01.000Z","time":5,"response":{"status":200,"headers":[]},
      "request":{"method":"GET","url":"https://api.example.com/login","headers":[]}}]}}
      """#
    let explanation = try ExplainedRecording.explanation(of: Array(text.utf8))
    #expect(explanation.findings.map(\.kind.rawValue) == [kind])
  }

  /// Rows of Understudy name their calls; requests that a person wrote are named by their address.
  @Test(arguments: [("network", "signed_out"), ("composed", "session_kept")])
  func nameOfAnOwnRowSaysWhatItIsFor(source: String, verdict: String) throws {
    func row(_ seq: Int, _ endpoint: String, _ method: String, _ path: String) -> String {
      #"""
      {"id":"r\#(seq)","seq":\#(seq),"rev":1,"call_id":"c\#(seq)","flow_id":"f","flow":"a","method":"\#(method)","path":"\#(path)",
      "started_at":"2026-05-04T10:00:0\#(seq).000Z","endpoint":"\#(endpoint)","attempt":1,"status":204,"state":"success",
      "request_bytes":0,"source":"\#(source)","url":"https://api.example.com\#(path)",
      "request":{"headers":[["Authorization","Bearer ‹token:00000001›"]],"body":""},"response":{"headers":[],"body":""},
      "timings":{},"redactions":[],"is_pinned":false,"is_redacted":false}
      """#
    }
    let rows = "[\(row(1, "me", "GET", "/me")),\(row(2, "logout", "POST", "/devices/forget"))]"
    let explanation = try ExplainedRecording.explanation(of: Array(rows.utf8))
    #expect(explanation.verdict.rawValue == verdict)
  }

  /// Fields that say nothing are not read, but show that there was a response.
  @Test(arguments: [("", "lost"), (#"{"name":"Server","value":"a"},{"name":"Vary","value":"b"}"#, "replaced")])
  func responseWithFieldsOfNoInterestIsNotMissing(headers: String, use: String) throws {
    let text = #"""
      {"log":{"entries":[{"startedDateTime":"2026-05-04T10:00:00.000Z","time":5,
      "request":{"method":"POST","url":"https://api.example.com/auth/refresh","headers":[],
      "postData":{"mimeType":"application/json","text":"{\"refresh_token\":\"refresh-one-1\"}"}},
      "response":{"status":200,"headers":[\#(headers)]}}]}}
      """#
    let explanation = try ExplainedRecording.explanation(of: Array(text.utf8))
    #expect(explanation.families.first?.uses.map(\.what.rawValue) == ["sent", use])
  }

  @Test(arguments: [
    ("Authorization", true), ("x-trace", true), ("X-", false), ("csrfToken", true), ("token", true), ("DATE", true),
    ("Data", false),
    ("www-authenticate", true), ("www-authenticated", false), ("accept", false), ("", false), ("é", false),
  ]) func fieldsThatMatterAreRead(name: String, isRead: Bool) {
    #expect(Explainer.reads(headerNamed: Array(name.utf8)[...]) == isRead)
  }

  /// A log's text with each value of a member replaced, or without the member.
  private static func changed(_ name: String, _ member: String, to value: String?) throws -> [UInt8] {
    let text = String(decoding: try bytes(name), as: UTF8.self)
    let pattern = try Regex(#""\#(member)"\s*:\s*("[^"]*"|[0-9.e+-]+|null)\s*(,?)"#)
    return Array(
      text.replacing(pattern) { match in
        value.map { "\"\(member)\":\($0)\(match.output[2].substring ?? "")" } ?? "\"unread\":0\(match.output[2].substring ?? "")"
      }.utf8)
  }

  private static let signedOut = [
    "01-harborline.har", "05-wren.har", "10-tidewatch.har", "18-mooring.har", "21-copperleaf.har", "22-halfway.har",
  ]

  /// Without the order and the times of requests, nothing is said of the session, and the lack is named.
  @Test(
    arguments: signedOut,
    [
      nil, "null", #""""#, #""soon""#, #""0001-01-01T00:00:00Z""#, #""1970-01-01T00:00:00.000Z""#, "0",
      #""2026-07-09T00:00:00Z""#,
    ] as [String?])
  func orderThatIsNotRecordedIsUnknown(name: String, date: String?) throws {
    let explanation = try ExplainedRecording.explanation(of: Self.changed(name, "startedDateTime", to: date))
    #expect(explanation.verdict == .unknown && explanation.findings.isEmpty)
    #expect(explanation.lacks.map(\.variant).contains(.missingTime))
  }

  /// A duration that is not recorded invents no cause.
  @Test(arguments: [nil, "null", #""x""#, "-1", "1e400"] as [String?])
  func missingDurationInventsNoCause(time: String?) throws {
    let text = String(decoding: try Self.changed("18-mooring.har", "time", to: time), as: UTF8.self)
    let changed = text.replacing("\"timings\"", with: "\"phases\"")
    let explanation = try ExplainedRecording.explanation(of: Array(changed.utf8))
    #expect(explanation.verdict == .signedOut && explanation.findings.map(\.kind) == [.userSignedOut])
  }

  /// What stands in the place of the status is read as one.
  @Test(arguments: signedOut, [".0", " OK"]) func otherFormOfTheStatusChangesNothing(name: String, form: String) throws {
    let bytes = try Self.bytes(name)
    let text = String(decoding: bytes, as: UTF8.self)
    let changed = text.replacing(try Regex(#""status"\s*:\s*([0-9]+)"#)) { match in
      let status = String(match.output[1].substring ?? "")
      return "\"status\":" + (form == ".0" ? status + ".0" : "\"\(status) OK\"")
    }
    let (first, second) = try (
      ExplainedRecording.explanation(of: bytes), ExplainedRecording.explanation(of: Array(changed.utf8))
    )
    #expect(first.verdict == second.verdict && first.findings.map(\.kind) == second.findings.map(\.kind))
  }

  @Test func brokenFilesAreRejected() {
    for text in ["", "{", "[]", #"{"log":{"entries":[]}}"#, #"{"log":{"entries":[{"request":{}}]}}"#] {
      #expect(throws: ImportError.self) { try ExplainedRecording.explanation(of: Array(text.utf8)) }
    }
  }
}
