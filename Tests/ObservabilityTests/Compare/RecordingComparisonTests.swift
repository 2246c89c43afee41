import Foundation
import JSON
import Testing

@testable import Observability
@testable import Redaction
import Support

@Suite struct RecordingComparisonTests {
  /// An attempt of a HAR: `flow method path status`, and more.
  private static func entry(
    _ words: String, call: String? = nil, id: String? = nil, at second: Int, body: String = "{}", milliseconds: Double = 10,
    source: String? = nil, fault: String? = nil
  ) -> String {
    let parts = words.split(separator: " ").map(String.init)
    var own = #","_flow":"\#(parts[0])""#
    if parts[0] == "-" { own = "" }
    if let id { own += #","_id":"\#(id)""# }
    if let call { own += #","_call":"\#(call)""# }
    if let source { own += #","_source":"\#(source)""# }
    if let fault { own += #","_fault":{"id":"f","name":"\#(fault)","action":"status"}"# }
    let text = body.replacing(#"""#, with: #"\""#)
    return #"""
      {"startedDateTime":"2026-01-01T10:00:\#(second < 10 ? "0" : "")\#(second).000Z","time":\#(milliseconds),
       "request":{"method":"\#(parts[1])","url":"https://api.example.com\#(parts[2])","headers":[]},
       "response":{"status":\#(parts[3]),"headers":[],"content":{"size":\#(body.utf8.count),"text":"\#(text)"}}\#(own)}
      """#
  }

  private static func attempts(_ entries: [String]) throws -> [Observability.RecordedAttempt] {
    let har = #"{"log":{"version":"1.2","entries":[\#(entries.joined(separator: ","))]}}"#
    return try RecordedSession.attempts(reading: Array(har.utf8))
  }

  private static let session = [
    "sign_in POST /rpc/login 200", "sign_in GET /rpc/me 200", "settings GET /rpc/me 200", "settings POST /rpc/update 200",
    "sign_out POST /rpc/logout 204",
  ]

  private static func recording(_ words: [String]) throws -> [Observability.RecordedAttempt] {
    try attempts(words.enumerated().map { entry($1, at: $0) })
  }

  /// The differences as `kind path first second`.
  private static func lines(_ first: [Observability.RecordedAttempt], _ second: [Observability.RecordedAttempt]) -> [String] {
    RecordingComparison(ComparedRecording("a", first), ComparedRecording("b", second)).differences.map {
      let parts: [String?] = [$0.kind.rawValue, $0.call.path, $0.first, $0.second]
      return parts.compactMap { $0 }.joined(separator: " ")
    }
  }

  @Test func aRecordingEqualsItself() throws {
    let one = try Self.recording(Self.session)
    let comparison = RecordingComparison(ComparedRecording("a", one), ComparedRecording("b", one))
    #expect(comparison.isEqual && comparison.differences.isEmpty && comparison.first.calls == 5)
  }

  @Test func callsCanBeMissingAddedAndReordered() throws {
    let one = try Self.recording(Self.session)
    var words = Self.session
    words.remove(at: 3)
    #expect(Self.lines(one, try Self.recording(words)) == ["missing /rpc/update"])
    #expect(Self.lines(try Self.recording(words), one) == ["added /rpc/update"])
    words = Self.session
    words.swapAt(0, 1)
    let moved = Self.lines(one, try Self.recording(words))
    #expect(moved.count == 1 && moved[0].hasPrefix("reordered /rpc/"))
  }

  /// Without a search for the best pairs, the second call would differ, and the third be missing.
  @Test func aLeftOutCallIsNotTakenForItsNeighbour() throws {
    let one = try Self.recording(["a GET /x 200", "a GET /x 500", "a GET /x 200", "a GET /x 404"])
    #expect(Self.lines(one, try Self.recording(["a GET /x 200", "a GET /x 200", "a GET /x 404"])) == ["missing /x"])
    #expect(Self.lines(try Self.recording(["a GET /x 500", "a GET /x 404"]), one) == ["added /x", "added /x"])
  }

  @Test func theUserActionTellsCallsApart() throws {
    let one = try Self.recording(["launch GET /x 200", "settings GET /y 200"])
    #expect(Self.lines(one, try Self.recording(["settings GET /x 200", "settings GET /y 200"])) == ["missing /x", "added /x"])
    // Another program records no actions.
    #expect(Self.lines(one, try Self.recording(["- GET /x 200", "- GET /y 200"])).isEmpty)
  }

  @Test(arguments: [
    ("/users/42/cues", "/users/7/cues"),
    ("/d/0b57f1a3-0e52-4b32-9a2f-2f3d5d1c7a10", "/d/7f1f2f0c-14a7-4a0f-8a3e-b9f9f2f6c001"),
    ("/t/4f9a1c2b3d4e5f60", "/t/aaaabbbbccccddd1"),
  ])
  func idsInPathsAreNoDifference(one: String, other: String) throws {
    #expect(Self.lines(try Self.recording(["a GET \(one) 200"]), try Self.recording(["a GET \(other) 200"])).isEmpty)
  }

  @Test(arguments: [
    ("/v1/cues", "/v2/cues"), ("/rpc/get_me", "/rpc/get_cues"), ("/profile-settings-page", "/profile-settings-list"),
  ])
  func otherPathsAreOtherCalls(one: String, other: String) throws {
    #expect(Self.lines(try Self.recording(["a GET \(one) 200"]), try Self.recording(["a GET \(other) 200"])).count == 2)
  }

  @Test func theLastAttemptDecidesAndRetriesAreCounted() throws {
    let one = try Self.attempts([Self.entry("a GET /x 200", call: "c", at: 1)])
    let other = try Self.attempts([
      Self.entry("a GET /x 503", call: "d", at: 1), Self.entry("a GET /x 503", call: "d", at: 2),
      Self.entry("a GET /x 200", call: "d", at: 3),
    ])
    #expect(Self.lines(one, other) == ["attempts /x 1 3"])
    let failed = try Self.attempts([Self.entry("a GET /x 0", call: "c", at: 1)])
    #expect(Self.lines(one, failed) == ["outcome /x 200 no answer"])
    let cached = try Self.attempts([Self.entry("a GET /x 200", call: "c", at: 1, source: "cache")])
    #expect(Self.lines(one, cached) == ["outcome /x 200 200 from cache"])
    let faulted = try Self.attempts([Self.entry("a GET /x 503", call: "c", at: 1, source: "fault", fault: "Down")])
    let found = RecordingComparison(ComparedRecording("a", one), ComparedRecording("b", faulted)).differences
    #expect(found.map(\.second) == ["503 from fault"] && found.first?.firstFault == nil)
    #expect(found.first?.secondFault == RowFault(name: "Down", action: "status"))
  }

  @Test func answersAreComparedByTheirShape() throws {
    let one = try Self.attempts([Self.entry("a GET /x 200", at: 1, body: #"{"id":"u","list":[{"n":1}],"old":1}"#)])
    let same = try Self.attempts([Self.entry("a GET /x 200", at: 1, body: #"{"list":[{"n":2},{"n":3}],"old":7,"id":"v"}"#)])
    #expect(Self.lines(one, same).isEmpty)
    let other = try Self.attempts([Self.entry("a GET /x 200", at: 1, body: #"{"id":5,"list":[{"n":1}],"new":true}"#)])
    let found = RecordingComparison(ComparedRecording("a", one), ComparedRecording("b", other)).differences
    let shape = try #require(found.first?.shape)
    #expect(found.count == 1 && shape.missing == ["old"] && shape.additional == ["new"] && shape.changed.map(\.place) == ["id"])
  }

  @Test(arguments: [
    ([10, 12, 11], [14, 13, 15], false), ([10, 12, 11], [200, 210, 190], true), ([200, 210, 190], [10, 12, 11], true),
    // More than 50 ms, but less than half of the reference, or than its spread.
    ([400, 410, 390], [480, 500, 490], false), ([20, 400, 90], [150, 160, 170], false), ([10], [10_000], true),
  ])
  func timingsDifferByMoreThanNoise(one: [Double], other: [Double], isDifferent: Bool) throws {
    let (first, second) = try (Self.timed(one), Self.timed(other))
    #expect(Self.lines(first, second).contains { $0.hasPrefix("timing") } == isDifferent)
    #expect(RecordingComparison(ComparedRecording("a", first), ComparedRecording("b", second), comparesTimings: false).isEqual)
  }

  private static func timed(_ milliseconds: [Double]) throws -> [Observability.RecordedAttempt] {
    try attempts(milliseconds.enumerated().map { entry("a GET /x 200", at: $0, milliseconds: $1) })
  }

  /// Each difference names rows that show it.
  @Test func differencesNameTheirRows() throws {
    let one = try Self.attempts([
      Self.entry("a GET /x 200", id: "x1", at: 1, body: #"{"n":1}"#),
      Self.entry("a GET /x 200", id: "x2", at: 2, body: #"{"n":1}"#),
      Self.entry("a GET /gone 200", id: "g", at: 3), Self.entry("a GET /t 200", id: "t1", at: 4, milliseconds: 100),
      Self.entry("a GET /t 200", id: "t2", at: 5, milliseconds: 104),
      Self.entry("a GET /t 200", id: "t3", at: 6, milliseconds: 120),
    ])
    let other = try Self.attempts([
      Self.entry("a GET /x 200", id: "y1", at: 1, body: #"{"n":1}"#),
      Self.entry("a GET /x 503", call: "c", id: "y2", at: 2, body: #"{"n":1}"#),
      Self.entry("a GET /x 200", call: "c", id: "y3", at: 3, body: #"{"n":"one"}"#),
      Self.entry("a GET /t 200", id: "u1", at: 4, milliseconds: 500),
      Self.entry("a GET /t 200", id: "u2", at: 5, milliseconds: 510),
      Self.entry("a GET /t 200", id: "u3", at: 6, milliseconds: 505), Self.entry("a GET /new 200", id: "n", at: 7),
    ])
    let found = RecordingComparison(ComparedRecording("a", one), ComparedRecording("b", other)).differences.map {
      [$0.kind.rawValue, $0.call.firstRow ?? "-", $0.call.secondRow ?? "-", "\($0.call.first ?? 0)", "\($0.call.second ?? 0)"]
    }
    #expect(
      found == [
        ["missing", "g", "-", "3", "0"], ["added", "-", "n", "0", "6"], ["attempts", "x2", "y3", "2", "2"],
        ["timing", "t2", "u3", "5", "5"], ["shape", "x1", "y3", "1", "2"],
      ])
  }

  /// A row is compared as if it was read from its export, also if it was sent before an earlier one.
  @Test func rowsAreComparedLikeTheirExport() throws {
    let rows = try (1...3).map { number -> NetworkRowDetail in
      var exchange = RawExchange(request: .example(path: "/users/a b/\(number == 1 ? "x" : "y")"), state: .success)
      exchange.response = RawResponse(status: 200, headers: [], body: Array(#"{"n":\#(number)}"#.utf8))
      let origin = AttemptOrigin(
        callID: "c\(number)", flowID: "f", flow: "login", startedAt: Date(timeIntervalSince1970: Double(10 - number)))
      return try #require(
        try ObservabilityTests.RecordedAttempt(exchange, registry: SecretRegistry(tagKey: []), origin: origin).detail)
    }
    var live = ComparedRecording("live")
    for row in rows { live.add(row) }
    let bundle = HARDocument.file(name: "session.har", rows: rows, version: "1")
    let file = try RecordedSession.attempts(reading: (0..<bundle.pieceCount).flatMap { bundle.piece($0) })
    let comparison = RecordingComparison(live, ComparedRecording("file", file))
    #expect(comparison.isEqual, "\(comparison.differences)")
    #expect(comparison.first.calls == 3)
  }

  @Test func masksInPathsAreNoDifference() throws {
    let one = try Self.recording(["a GET /users/%E2%80%B9email:0a1b2c3d%E2%80%BA/cues 200"])
    #expect(Self.lines(one, try Self.recording(["a GET /users/%E2%80%B9email:ffff0000%E2%80%BA/cues 200"])).isEmpty)
  }

  @Test(.enabled(if: MeasuredTime.isMeasured)) func manyCallsAreComparedInTime() throws {
    let words = (0..<20_000).map { "a GET /x/\($0 % 7)y 200" }
    let one = try Self.attempts(words.map { Self.entry($0, at: 1) })
    var comparison: RecordingComparison?
    let isSoon = MeasuredTime.isWithin(.seconds(20)) {
      comparison = RecordingComparison(ComparedRecording("a", one), ComparedRecording("b", Array(one.dropFirst(500))))
    }
    #expect(comparison?.differences.count { $0.kind == .missing } == 500 && isSoon)
  }
}
