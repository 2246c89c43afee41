import Domain
import FoundationEssentials
import JSON
import RPC
import Support
import Testing

@testable import Client

/// What happens to a device's cues and unsent edits when its session ends, for every way it can end.
@Suite(.timeLimit(.minutes(1))) struct CueSessionTests {
  let harness: CueHarness

  init() throws { harness = try CueHarness() }

  static func reached(_ outcome: CueEditOutcome) -> Cue? { CueSyncTests.reached(outcome) }
  static func kept(_ outcome: CueEditOutcome) -> Cue? { CueSyncTests.kept(outcome) }

  /// A signed-in device that has its list.
  func ready() async throws -> (CueSync, CueGateway) { try await CueSyncTests.ready(harness) }

  @Test func aLogoutDropsTheUsersCuesAndHasNoEdits() async throws {
    let (sync, gateway) = try await ready()
    let auth = harness.harness.stack.auth
    try await gateway.endSession(false) { await auth.logout(.user) }
    #expect(await harness.harness.session.state.isSignedIn == false)
    #expect(try harness.store.list(CueOwner(userID: "u1", profileID: "p")) == nil)
    #expect(try harness.store.cue(id: "a", userID: "u1") == nil)
    #expect(await sync.unsentEdits() == 0)
  }

  @Test func aSessionThatTheBackendEndsKeepsTheEditForItsUserAlone() async throws {
    let (_, gateway) = try await ready()
    harness.nextIsOffline()
    #expect(Self.kept(try await gateway.edit("a", .review)) != nil)
    let epoch = await harness.harness.session.state.number
    await harness.harness.session.logout(reason: .refreshTokenReused)
    #expect(await harness.harness.session.state.number > epoch)
    harness.setUser("u2")
    try await harness.signIn()
    _ = try await gateway.refresh()
    #expect(Self.reached(try await gateway.edit("b", .learning)) != nil)
    #expect(harness.applied == ["b learning"])
    #expect(try harness.kept("u1") == 1)
    try await gateway.endSession(false) { [stack = harness.harness.stack] in await stack.auth.logout(.user) }
    harness.setUser("u1")
    try await harness.signIn()
    _ = try await gateway.refresh()
    try await harness.until { try harness.kept("u1") == 0 }
    #expect(harness.applied == ["b learning", "a review"])
  }

  @Test func anAnswerThatComesAfterTheUserLeftIsNotedForThem() async throws {
    let (_, gateway) = try await ready()
    let gate = Gate()
    harness.harness.backend.on(CueEndpoints.UpdateCueStage.path) { request throws(TransportError) in
      await gate.pass()
      return ScriptedBackend.json(CueReconciliationTests.cue("a", .review, at: 77))
    }
    let outcome = Task { try await gateway.edit("a", .review) }
    await gate.waitForArrivals()
    await harness.harness.session.logout(reason: .invalidToken)
    await #expect(throws: CueError.sessionEnded) { try await outcome.value }
    harness.setUser("u2")
    try await harness.signIn()
    _ = try await gateway.refresh()
    #expect(try harness.kept("u1") == 1)
    gate.open()
    try await harness.until { try harness.kept("u1") == 0 }
    #expect(try harness.store.list(CueOwner(userID: "u2", profileID: "p"))?.cues[0].stage == .new)
  }

  @Test func nothingGoesOutUnderAnotherUsersSession() async throws {
    let (sync, gateway) = try await ready()
    harness.nextIsOffline()
    _ = try await gateway.edit("a", .review)
    let sent = harness.moves.count
    // Another login before the device knows that the first session is over.
    harness.setUser("u2")
    try await harness.signIn()
    _ = try await gateway.refresh()
    harness.harness.time.advance(by: .seconds(60))
    _ = await sync.unsentEdits()
    #expect(harness.moves.count == sent)
    #expect(await sync.unsentEdits() == 0)
    #expect(try harness.kept("u1") == 1)
  }

  @Test func aMoveGoesOutUnderTheSessionItWasMadeInOrNotAtAll() async throws {
    try await harness.signIn()
    // One that does not follow the session, as if every update came too late.
    let sync = await harness.sync(followsTheSession: false)
    let gateway = CueGateway.backend(sync)
    _ = try await gateway.refresh()
    harness.nextIsOffline()
    #expect(Self.kept(try await gateway.edit("a", .review)) != nil)
    harness.setUser("u2")
    try await harness.signIn()
    await harness.harness.time.waitForSleepers()
    harness.harness.time.advance(by: .seconds(60))
    // The attempt ends at the session, which closes the outbox, or at the backend.
    await eventually { await sync.enter { $0.outbox?.state.mode == .closed } || harness.moves.count > 1 }
    #expect(harness.moves.count == 1 && harness.applied.isEmpty)
    #expect(try harness.kept("u1") == 1)
    await sync.stop()
  }

  @Test func anAccountThatIsDeletedTakesItsEditsAlong() async throws {
    let (_, gateway) = try await ready()
    harness.nextIsOffline()
    _ = try await gateway.edit("a", .review)
    await harness.harness.stack.auth.logout(.accountDeletion)
    try await harness.until { try harness.store.cue(id: "a", userID: "u1") == nil }
    #expect(try harness.kept() == 0)
  }

  @Test func aListThatArrivesAfterTheLogoutIsNotKept() async throws {
    let (_, gateway) = try await ready()
    let gate = Gate()
    harness.harness.backend.on(CueEndpoints.GetCues.path) { _ throws(TransportError) in
      await gate.pass()
      return ScriptedBackend.json(CueListBody(cues: [CueReconciliationTests.cue("late")], serverTime: .init(milliseconds: 1)))
    }
    let list = Task { try await gateway.refresh() }
    await gate.waitForArrivals()
    await harness.harness.session.logout(reason: .user)
    gate.open()
    await #expect(throws: CueError.sessionEnded) { try await list.value }
    #expect(try harness.store.cue(id: "late", userID: "u1") == nil)
  }
}
