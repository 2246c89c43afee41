import Client
import Domain
import FoundationEssentials
import JSON
import RPC
import Support
import Testing

/// What a device does if the backend has another version than the one that a move was based on.
@Suite(.timeLimit(.minutes(1))) struct CueConflictTests {
  let harness: CueHarness

  init() throws { harness = try CueHarness() }

  static func reached(_ outcome: CueEditOutcome) -> Cue? { CueSyncTests.reached(outcome) }

  /// A signed-in device that has its list.
  func ready() async throws -> (CueSync, CueGateway) { try await CueSyncTests.ready(harness) }

  @Test func aMoveOfAnotherDeviceIsMetOnceAndThenTheUserPicks() async throws {
    let (_, gateway) = try await ready()
    harness.set(CueReconciliationTests.cue("a", .mastered, at: 20))
    #expect(Self.reached(try await gateway.edit("a", .review))?.stage == .review)
    // Repeatedly: the second conflict is left to the user.
    for _ in 1...2 {
      harness.next { request, model in
        let stamp = (model.rules.cues["b"]?.updatedAt.instant.milliseconds ?? 0) + 1
        model.rules.cues["b"] = CueReconciliationTests.cue("b", .mastered, at: stamp, position: 1)
        return model.carryOut(request)
      }
    }
    await #expect(throws: CueError.conflict) { try await gateway.edit("b", .review) }
    let shown = try await gateway.local()?.cues[1]
    #expect(shown?.stage == .review && shown?.isPending == true && shown?.conflict?.stage == .mastered)
    #expect(try harness.kept() == 1)
    await #expect(throws: CueError.unsyncedEdits(count: 1)) { try await gateway.endSession(false) {} }
    #expect(Self.reached(try await gateway.edit("b", .review))?.conflict == nil)
    #expect(harness.applied == ["a review", "b review"])
  }

  @Test func thePickOfTheBackendsVersionSendsNothing() async throws {
    let (_, gateway) = try await ready()
    harness.next { _, _ in ScriptedBackend.error(409, BackendErrorCode.conflict) }
    await #expect(throws: CueError.conflict) { try await gateway.edit("a", .review) }
    let picked = Self.reached(try await gateway.edit("a", .new))
    #expect(picked?.stage == .new && picked?.isPending == false && picked?.conflict == nil)
    #expect(harness.moves.count == 1)
    #expect(try harness.kept() == 0)
  }

  @Test func aCueThatIsGoneIsReportedAndTheOthersGoOn() async throws {
    let (_, gateway) = try await ready()
    harness.next { _, model in
      model.rules.cues["a"] = nil
      return nil
    }
    await #expect(throws: CueError.cueNotFound) { try await gateway.edit("a", .review) }
    #expect(harness.told.contains { $0.kind == .dropped && $0.cueID == "a" && $0.reason == "cue_not_found" })
    #expect(try await gateway.local()?.cues.map(\.cueID) == ["b", "c"])
    #expect(Self.reached(try await gateway.edit("b", .review)) != nil)
  }
}
