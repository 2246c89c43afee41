import Client
import Domain
import FoundationEssentials
import JSON
import RPC
import Support
import Testing

/// What becomes of a device's cues and unsent edits when its session ends, in each way that one can.
@Suite(.timeLimit(.minutes(1))) struct CueSessionTests {
  let bench: CueHarness

  init() throws { bench = try CueHarness() }

  static func reached(_ outcome: CueEditOutcome) -> Cue? { CueSyncTests.reached(outcome) }
  static func kept(_ outcome: CueEditOutcome) -> Cue? { CueSyncTests.kept(outcome) }

  /// A signed-in device that has its list.
  func ready() async throws -> (CueSync, CueGateway) { try await CueSyncTests.ready(bench) }

  @Test func aLogoutDropsTheUsersCuesAndHasNoEdits() async throws {
    let (sync, gateway) = try await ready()
    let auth = bench.bench.stack.auth
    try await gateway.endSession(false) { await auth.logout(.user) }
    #expect(await bench.bench.session.state.isSignedIn == false)
    #expect(try bench.store.list(CueOwner(userID: "u1", profileID: "p")) == nil)
    #expect(try bench.store.cue(id: "a", userID: "u1") == nil)
    #expect(await sync.unsentEdits() == 0)
  }

  @Test func aSessionThatTheBackendEndsKeepsTheEditForItsUserAlone() async throws {
    let (_, gateway) = try await ready()
    bench.nextIsOffline()
    #expect(Self.kept(try await gateway.edit("a", .review)) != nil)
    let epoch = await bench.bench.session.state.number
    await bench.bench.session.logout(reason: .refreshTokenReused)
    #expect(await bench.bench.session.state.number > epoch)
    bench.setUser("u2")
    try await bench.signIn()
    _ = try await gateway.refresh()
    #expect(Self.reached(try await gateway.edit("b", .learning)) != nil)
    #expect(bench.applied == ["b learning"])
    #expect(try bench.kept("u1") == 1)
    try await gateway.endSession(false) { [stack = bench.bench.stack] in await stack.auth.logout(.user) }
    bench.setUser("u1")
    try await bench.signIn()
    _ = try await gateway.refresh()
    try await bench.until { try bench.kept("u1") == 0 }
    #expect(bench.applied == ["b learning", "a review"])
  }

  @Test func anAnswerThatComesAfterTheUserLeftIsNotedForThem() async throws {
    let (_, gateway) = try await ready()
    let gate = Gate()
    bench.bench.backend.on(CueEndpoints.UpdateCueStage.path) { request throws(TransportError) in
      await gate.pass()
      return ScriptedBackend.json(CueReconciliationTests.cue("a", .review, at: 77))
    }
    let outcome = Task { try await gateway.edit("a", .review) }
    await gate.waitForArrivals()
    await bench.bench.session.logout(reason: .invalidToken)
    await #expect(throws: CueError.sessionEnded) { try await outcome.value }
    bench.setUser("u2")
    try await bench.signIn()
    _ = try await gateway.refresh()
    #expect(try bench.kept("u1") == 1)
    gate.open()
    try await bench.until { try bench.kept("u1") == 0 }
    #expect(try bench.store.list(CueOwner(userID: "u2", profileID: "p"))?.cues[0].stage == .new)
  }

  @Test func nothingGoesOutUnderAnotherUsersSession() async throws {
    let (sync, gateway) = try await ready()
    bench.nextIsOffline()
    _ = try await gateway.edit("a", .review)
    let sent = bench.moves.count
    // Another login before the device has heard that the first session is over.
    bench.setUser("u2")
    try await bench.signIn()
    _ = try await gateway.refresh()
    bench.bench.time.advance(by: .seconds(60))
    _ = await sync.unsentEdits()
    #expect(bench.moves.count == sent)
    #expect(await sync.unsentEdits() == 0)
    #expect(try bench.kept("u1") == 1)
  }

  @Test func aMoveGoesOutUnderTheSessionItWasMadeInOrNotAtAll() async throws {
    try await bench.signIn()
    // One that does not hear of sessions, as if every news of them came too late.
    let sync = await bench.sync(followsTheSession: false)
    let gateway = CueGateway.backend(sync)
    _ = try await gateway.refresh()
    bench.nextIsOffline()
    #expect(Self.kept(try await gateway.edit("a", .review)) != nil)
    bench.setUser("u2")
    try await bench.signIn()
    await bench.bench.time.waitForSleepers()
    bench.bench.time.advance(by: .seconds(60))
    for _ in 1...2000 { await Task.yield() }
    #expect(bench.moves.count == 1 && bench.applied.isEmpty)
    #expect(try bench.kept("u1") == 1)
    await sync.stop()
  }

  @Test func anAccountThatIsDeletedTakesItsEditsAlong() async throws {
    let (_, gateway) = try await ready()
    bench.nextIsOffline()
    _ = try await gateway.edit("a", .review)
    await bench.bench.stack.auth.logout(.accountDeletion)
    try await bench.until { try bench.store.cue(id: "a", userID: "u1") == nil }
    #expect(try bench.kept() == 0)
  }

  @Test func aListThatArrivesAfterTheLogoutIsNotKept() async throws {
    let (_, gateway) = try await ready()
    let gate = Gate()
    bench.bench.backend.on(CueEndpoints.GetCues.path) { _ throws(TransportError) in
      await gate.pass()
      return ScriptedBackend.json(CueListBody(cues: [CueReconciliationTests.cue("late")], serverTime: .init(milliseconds: 1)))
    }
    let list = Task { try await gateway.refresh() }
    await gate.waitForArrivals()
    await bench.bench.session.logout(reason: .user)
    gate.open()
    await #expect(throws: CueError.sessionEnded) { try await list.value }
    #expect(try bench.store.cue(id: "late", userID: "u1") == nil)
  }
}
