import Client
import Domain
import FoundationEssentials
import HTTPTypes
import JSON
import RPC
import Support
import Testing

/// A device's cues from the gateway to the network and back, with a real store.
@Suite(.timeLimit(.minutes(1))) struct CueSyncTests {
  let harness: CueHarness

  init() throws { harness = try CueHarness() }

  static func reached(_ outcome: CueEditOutcome) -> Cue? { if case .reached(let cue) = outcome { cue } else { nil } }
  static func kept(_ outcome: CueEditOutcome) -> Cue? { if case .kept(let cue) = outcome { cue } else { nil } }

  func ready() async throws -> (CueSync, CueGateway) { try await Self.ready(harness) }

  /// A signed-in device that has its list.
  static func ready(_ harness: CueHarness) async throws -> (CueSync, CueGateway) {
    try await harness.signIn()
    let sync = await harness.sync()
    let gateway = CueGateway.backend(sync)
    _ = try await gateway.refresh()
    return (sync, gateway)
  }

  @Test func nothingShowsWithoutASession() async throws {
    let gateway = CueGateway.backend(await harness.sync())
    await #expect(throws: CueError.signedOut) { try await gateway.local() }
    await #expect(throws: CueError.signedOut) { try await gateway.refresh() }
    await #expect(throws: CueError.signedOut) { try await gateway.shuffle() }
    await #expect(throws: CueError.signedOut) { try await gateway.edit("a", .review) }
  }

  @Test func theListIsKeptAndShowsWithoutTheBackendAfterARelaunch() async throws {
    let (sync, gateway) = try await ready()
    #expect(try await gateway.local()?.source == .network)
    harness.harness.time.advance(by: .seconds(6))
    #expect(try await gateway.local()?.source == .cache)
    await sync.stop()
    await harness.harness.stack.shutdown()
    for path in [CueEndpoints.GetCues.path, AccountEndpoints.Me.path, AuthEndpoints.RefreshTokens.path] {
      harness.harness.backend.on(path) { _ throws(TransportError) in throw .offline(kind: .cannotConnect) }
    }
    let stack = harness.harness.relaunched()
    await stack.session.bootstrap()
    let again = CueGateway.backend(await harness.sync(stack))
    let list = try await again.local()
    #expect(list?.cues.map(\.cueID) == ["a", "b", "c"] && list?.source == .cache)
  }

  @Test func whoseMovesAreKeptIsKnownAfterARelaunchBeforeTheAccountIs() async throws {
    let (sync, gateway) = try await ready()
    harness.nextIsOffline()
    _ = try await gateway.edit("a", .review)
    await sync.stop()
    await harness.harness.stack.shutdown()
    harness.setUnreachable(true)
    let stack = harness.harness.relaunched()
    // The tokens have changed by now, and nobody has fetched the user yet.
    await stack.session.bootstrap()
    #expect(harness.harness.backend.refreshes == 1)
    let again = await harness.sync(stack, followsTheSession: false)
    #expect(await again.unsentEdits() == 1)
  }

  @Test func shufflingNeedsTheBackend() async throws {
    let (_, gateway) = try await ready()
    harness.harness.stack.api.features.change { $0.idempotencyKeys = true }
    harness.harness.backend.on(CueEndpoints.ShuffleCues.path) { _ throws(TransportError) in throw .offline(kind: .cannotConnect) }
    let shuffle = Task { try await gateway.shuffle() }
    for _ in 1...2 {
      await harness.harness.time.waitForSleepers()
      harness.harness.time.advance(by: .seconds(10))
    }
    await #expect(throws: CueError.failed(.offline)) { try await shuffle.value }
    #expect(try await gateway.local()?.cues.map(\.cueID) == ["a", "b", "c"])
  }

  @Test func aMoveThatReachesTheBackendIsAnsweredWithWhatItMade() async throws {
    let (_, gateway) = try await ready()
    let cue = Self.reached(try await gateway.edit("a", .review))
    #expect(cue?.stage == .review && cue?.isPending == false)
    #expect(cue?.updatedAt == Date(timeIntervalSince1970: 1.001))
    #expect(harness.applied == ["a review"])
    #expect(try harness.kept() == 0)
    #expect(harness.keys[0] != nil)
  }

  @Test func theSameStageAgainIsNoMove() async throws {
    let (_, gateway) = try await ready()
    #expect(Self.reached(try await gateway.edit("a", .new)) != nil)
    #expect(harness.moves.isEmpty)
  }

  @Test func aMoveOfAnUnknownCueIsRefusedHere() async throws {
    let (_, gateway) = try await ready()
    await #expect(throws: CueError.cueNotFound) { try await gateway.edit("z", .review) }
    #expect(harness.moves.isEmpty)
  }

  @Test func offlineAMoveIsKeptAtOnceAndGoesOutOnceTheBackendIsHeard() async throws {
    let (_, gateway) = try await ready()
    harness.nextIsOffline()
    let cue = Self.kept(try await gateway.edit("a", .review))
    #expect(cue?.stage == .review && cue?.isPending == true && harness.applied.isEmpty)
    #expect(try await gateway.local()?.source == .cache, "a read does not repeat the notice")
    // Any call that reaches the backend shows that it is reachable.
    _ = try await gateway.refresh()
    try await harness.until { try harness.kept() == 0 }
    #expect(harness.applied == ["a review"])
    #expect(try await gateway.local()?.source == .network)
  }

  @Test func aMoveWaitsOutWhatTheBackendAsksFor() async throws {
    let (_, gateway) = try await ready()
    harness.next { _, _ in ScriptedBackend.error(429, BackendErrorCode.tooManyAttempts, headers: [.retryAfter: "7"]) }
    #expect(Self.kept(try await gateway.edit("a", .review)) != nil)
    _ = try await gateway.refresh()
    #expect(Self.kept(try await gateway.edit("b", .review)) != nil, "the cause is not connectivity")
    #expect(harness.moves.count == 1)
    await harness.harness.time.waitForSleepers()
    harness.harness.time.advance(by: .seconds(7))
    try await harness.until { try harness.kept() == 0 }
    #expect(harness.applied == ["a review", "b review"])
  }

  @Test func aLostAnswerIsNotASecondMove() async throws {
    let (_, gateway) = try await ready()
    harness.next { request, model throws(TransportError) in
      _ = model.carryOut(request)
      throw .connectionLost(mayHaveBeenProcessed: true)
    }
    #expect(Self.kept(try await gateway.edit("a", .review)) != nil)
    #expect(Self.reached(try await gateway.edit("b", .review)) != nil, "a user's move sends the earlier one too")
    #expect(harness.applied == ["a review", "b review"])
    #expect(harness.keys[0] == harness.keys[1] && harness.keys[1] != harness.keys[2])
  }

  @Test func aMoveIsSentUnderTheSameKeyAfterARelaunch() async throws {
    let (sync, gateway) = try await ready()
    harness.next { request, model throws(TransportError) in
      _ = model.carryOut(request)
      throw .connectionLost(mayHaveBeenProcessed: true)
    }
    _ = try await gateway.edit("a", .review)
    await sync.stop()
    await harness.harness.stack.shutdown()
    let stack = harness.harness.relaunched()
    let again = await harness.sync(stack)
    await stack.session.bootstrap()
    try await harness.until { try harness.kept() == 0 }
    await again.stop()
    #expect(harness.applied == ["a review"])
    #expect(Set(harness.keys).count == 1)
  }

  @Test func movesOfOneCueBuildOnEachOther() async throws {
    let (_, gateway) = try await ready()
    harness.nextIsOffline()
    #expect(Self.kept(try await gateway.edit("a", .learning)) != nil)
    #expect(Self.kept(try await gateway.edit("a", .mastered))?.stage == .mastered)
    _ = await harness.harness.me()
    try await harness.until { try harness.kept() == 0 }
    #expect(harness.applied == ["a learning", "a mastered"])
    #expect(harness.moves.count == 3, "no conflict in between")
  }

  @Test func moveDuringOutageIsSentAfterReconnect() async throws {
    let (_, gateway) = try await ready()
    harness.setUnreachable(true)
    #expect(Self.kept(try await gateway.edit("a", .review)) != nil)
    // This one waits for connectivity, and its caller does not.
    #expect(Self.kept(try await gateway.edit("b", .review)) != nil)
    try await harness.until { harness.waitingRows == ["update_cue_stage"] }
    #expect(harness.moves.count == 1)
    harness.setUnreachable(false)
    _ = await harness.harness.me()
    try await harness.until { try harness.kept() == 0 }
    #expect(harness.applied == ["a review", "b review"] && harness.waitingRows.isEmpty)
  }

  @Test func aListThatCannotBeFetchedIsSaidSoAndComesByItself() async throws {
    let (_, gateway) = try await ready()
    harness.setUnreachable(true)
    harness.forgetNotices()
    _ = try await BrowseCues(gateway: gateway)()
    try await harness.until { harness.told.map(\.kind) == [.syncFailed] }
    #expect(harness.told[0].reason == "offline")
    #expect(try await gateway.local()?.source == .cache)
    try await harness.until { harness.waitingRows == ["get_cues"] }
    harness.setUnreachable(false)
    harness.set(CueReconciliationTests.cue("a", .mastered, at: 30))
    _ = await harness.harness.me()
    try await harness.until { harness.told.map(\.kind) == [.syncFailed, .synced] }
    #expect(try await gateway.local()?.source == .network)
    #expect(try await gateway.local()?.cues[0].stage == .mastered)
  }

  @Test func readingTheListUponItsNewsIsNoNews() async throws {
    let (_, gateway) = try await ready()
    harness.forgetNotices()
    let fetches = harness.harness.backend.requests(CueEndpoints.GetCues.path).count
    for number in 1...3 {
      _ = try await BrowseCues(gateway: gateway)()
      try await harness.until { harness.harness.backend.requests(CueEndpoints.GetCues.path).count >= fetches + number }
      _ = try await gateway.refresh()
    }
    #expect(harness.told.isEmpty)
  }

  @Test func anotherProfileShowsItsOwnCuesAndTheMovesOfTheFirstGoOn() async throws {
    let (_, gateway) = try await ready()
    harness.set(
      CueBody(
        cueID: "x", profileID: "q", prompt: "", answer: "", stage: .new, position: 0,
        updatedAt: ReceivedTimestamp(Timestamp(milliseconds: 10))))
    harness.nextIsOffline()
    #expect(Self.kept(try await gateway.edit("a", .review)) != nil)
    harness.setProfile("q")
    _ = try await harness.harness.stack.account.fetchMe()
    #expect(try await gateway.local() == nil, "the first profile's list is not this one's")
    #expect(try await gateway.refresh().cues.map(\.cueID) == ["x"])
    await #expect(throws: CueError.cueNotFound) { try await gateway.edit("b", .review) }
    try await harness.until { try harness.kept() == 0 }
    #expect(harness.applied == ["a review"])
    harness.setProfile("p")
    _ = try await harness.harness.stack.account.fetchMe()
    #expect(try await gateway.local()?.cues.map(\.stage) == [.review, .new, .new])
  }

  @Test func moreMovesThanTheOutboxHoldsAreNotTaken() async throws {
    try await harness.signIn()
    let edits = (0..<Outbox.limit).map { CueChange.insert(CueStoreTests.edit("\($0)", cue: "a", .review)) }
    try harness.store.apply(edits, userID: "u1")
    harness.next { _, _ in ScriptedBackend.error(503, BackendErrorCode.unavailable) }
    let gateway = CueGateway.backend(await harness.sync())
    _ = try await gateway.refresh()
    await #expect(throws: CueError.storageFull) { try await gateway.edit("b", .review) }
    #expect(try harness.kept() == Outbox.limit)
  }

  @Test func anEditThatCannotBeKeptIsNotTaken() async throws {
    let (_, gateway) = try await ready()
    try await harness.execute("CREATE TRIGGER full BEFORE INSERT ON cue_edit BEGIN SELECT RAISE(ABORT, 'full'); END")
    await #expect(throws: CueError.storageFull) { try await gateway.edit("a", .review) }
    #expect(harness.moves.isEmpty)
    #expect(try await gateway.local()?.cues[0].stage == .new)
  }

  @Test func whatCannotBeNotedIsSentAgainUnderTheSameKey() async throws {
    let (_, gateway) = try await ready()
    try await harness.execute("CREATE TRIGGER full BEFORE DELETE ON cue_edit BEGIN SELECT RAISE(ABORT, 'full'); END")
    #expect(Self.kept(try await gateway.edit("a", .review)) != nil)
    try await harness.execute("DROP TRIGGER full")
    await harness.harness.time.waitForSleepers()
    harness.harness.time.advance(by: .seconds(1))
    try await harness.until { try harness.kept() == 0 }
    #expect(harness.applied == ["a review"] && harness.moves.count == 2)
  }

  @Test func aSlowBackendIsNotWaitedForLongerThanTheUserWould() async throws {
    let (_, gateway) = try await ready()
    let gate = Gate()
    let path = CueEndpoints.UpdateCueStage.path
    harness.harness.backend.on(path) { _ throws(TransportError) in
      await gate.pass()
      throw .timedOut(.idle)
    }
    let outcome = Task { try await gateway.edit("a", .review) }
    await gate.waitForArrivals()
    await harness.harness.time.waitForSleepers()
    harness.harness.time.advance(by: .seconds(5))
    #expect(Self.kept(try await outcome.value)?.isPending == true)
    gate.open()
  }
}
