import Foundation
import Observability
import Testing

@testable import Composition

@Suite struct ParityReportTests {
  private static func shape(_ text: String) throws -> ResponseShape { try #require(ResponseShape(Array(text.utf8))) }

  private static func outcome(_ outcomes: [(String, CheckOutcome)], _ answers: [String: String]) throws -> CheckRun.Outcome {
    let results = outcomes.map {
      CheckResult(id: $0.0, group: "g", title: "t", outcome: $0.1, duration: .milliseconds(5), call: nil)
    }
    let shapes = try answers.map { path, body in
      (CheckNetwork.ResponseKey(path: path, method: "GET", status: 200), try shape(body))
    }
    return CheckRun.Outcome(
      report: CheckReport(
        backend: "b", isEmbedded: false, startedAt: Date(timeIntervalSince1970: 0), duration: .zero, results: results),
      shapes: Dictionary(uniqueKeysWithValues: shapes))
  }

  @Test func outcomesAreComparedUnlessOneSideSkipped() throws {
    let parity = ParityReport(
      try Self.outcome([("a", .passed), ("b", .failed("x")), ("c", .skipped("y")), ("d", .failed("z"))], [:]),
      reference: try Self.outcome([("a", .passed), ("b", .passed), ("c", .passed), ("d", .failed("other"))], [:]))
    #expect(parity.checks.map(\.verdict) == ["same", "different", "not_compared", "same"])
    #expect(parity.differences == 1)
    #expect(parity.checks[1].outcome == "failed" && parity.checks[1].referenceOutcome == "passed")
  }

  @Test func missingAdditionalAndChangedKeysAreNamed() throws {
    let parity = ParityReport(
      try Self.outcome([], ["/me": #"{"user_id":1,"profiles":[{"id":"x","extra":true}],"only":null}"#, "/mine": "{}"]),
      reference: try Self.outcome([], ["/me": #"{"user_id":"u","email":"e","profiles":[{"id":"x"},{"name":"n"}]}"#, "/its": "1"]))
    let answer = try #require(parity.answers.first)
    #expect(parity.answers.count == 1 && parity.differences == 1)
    #expect(answer.missing == ["email", "profiles[].name"])
    #expect(answer.additional == ["profiles[].extra"], "null and absent are equal")
    #expect(answer.changed == [.init(place: "user_id", kinds: ["number"], referenceKinds: ["string"])])
    #expect(parity.onlyHere == ["GET /mine 200"] && parity.onlyReference == ["GET /its 200"])
  }

  @Test func ofAnArrayThatWasAlwaysEmptyNothingIsSaid() throws {
    let parity = ParityReport(
      try Self.outcome([], ["/cues": #"{"cues":[]}"#]), reference: try Self.outcome([], ["/cues": #"{"cues":[{"id":"x"}]}"#]))
    #expect(parity.answers.isEmpty)
    var merged = try Self.shape(#"{"cues":[]}"#)
    merged.merge(try Self.shape(#"{"cues":[{"other":1}]}"#))
    #expect(merged.covers("cues[].id") && merged.kinds["cues[].other"] == ["number"])
  }

  @Test func aShapeHoldsNoValueAndNoKeyThatCouldBeOne() throws {
    let token = String(repeating: "aB", count: 25)
    let shape = try Self.shape(#"{"\#(token)":"secret","123456":1,"a@b.example":2,"+4912345678":3,"id2":"x","user_id":4}"#)
    #expect(Set(shape.kinds.keys) == ["", "?", "id2", "user_id"])
    #expect(ResponseShape(Array("no json".utf8)) == nil)
    let wide =
      "[" + (0..<2000).map { #"{"k\#(String(repeating: "x", count: $0 % 30))\#($0 / 30)":1}"# }.joined(separator: ",") + "]"
    #expect(try Self.shape(wide).kinds.count <= ResponseShape.limit)
  }
}
