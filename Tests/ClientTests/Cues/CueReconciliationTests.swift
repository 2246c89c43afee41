import Client
import JSON
import RPC
import Testing

/// The later timestamp wins, and unsent edits stay (seed-rules L-25 "Conflicts are resolved").
@Suite struct CueReconciliationTests {
  static func cue(_ id: String, _ stage: CueStage = .new, at stamp: Int64 = 1, position: Int = 0) -> CueBody {
    CueBody(
      cueID: id, profileID: "p", prompt: "prompt \(id)", answer: "answer \(id)", stage: stage, position: position,
      updatedAt: ReceivedTimestamp(Timestamp(milliseconds: stamp)))
  }

  @Test func theRemoteVersionWinsWhereItIsNewer() {
    let result = CueReconciliation(
      local: [Self.cue("a"), Self.cue("b")], remote: [Self.cue("a", .review, at: 2), Self.cue("b")], unsent: [])
    #expect(result.taken == [Self.cue("a", .review, at: 2)])
    #expect(result.dropped.isEmpty)
  }

  @Test func anOvertakenAnswerChangesNothing() {
    let result = CueReconciliation(local: [Self.cue("a", .review, at: 5)], remote: [Self.cue("a", .new, at: 4)], unsent: [])
    #expect(!result.changesSomething)
  }

  @Test func ofTwoVersionsInOneAnswerTheLaterCounts() {
    let result = CueReconciliation(local: [], remote: [Self.cue("a", .review, at: 5), Self.cue("a", .new, at: 4)], unsent: [])
    #expect(result.taken == [Self.cue("a", .review, at: 5)])
  }

  @Test func aCueThatTheBackendLacksGoesUnlessItIsEdited() {
    let result = CueReconciliation(local: [Self.cue("a"), Self.cue("b")], remote: [], unsent: ["b"])
    #expect(result.dropped == ["a"])
  }

  @Test func newCuesAreTaken() {
    #expect(CueReconciliation(local: [], remote: [Self.cue("a")], unsent: []).taken == [Self.cue("a")])
  }
}
