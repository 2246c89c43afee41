import Client
import Domain
import FoundationEssentials
import HTTPTypes
import JSON
import RPC
import Support
import Testing

/// A device's cues from the gateway to the wire and back, over a real store.
@Suite(.timeLimit(.minutes(1))) struct CueSyncTests {
  let bench: CueHarness

  init() throws { bench = try CueHarness() }

  static func reached(_ outcome: CueEditOutcome) -> Cue? { if case .reached(let cue) = outcome { cue } else { nil } }
  static func kept(_ outcome: CueEditOutcome) -> Cue? { if case .kept(let cue) = outcome { cue } else { nil } }

  func ready() async throws -> (CueSync, CueGateway) { try await Self.ready(bench) }

  /// A signed-in device that has its list.
  static func ready(_ bench: CueHarness) async throws -> (CueSync, CueGateway) {
    try await bench.signIn()
    let sync = await bench.sync()
    let gateway = CueGateway.backend(sync)
    _ = try await gateway.refresh()
    return (sync, gateway)
  }

  @Test func nothingShowsWithoutASession() async throws {
    let gateway = CueGateway.backend(await bench.sync())
    await #expect(throws: CueError.signedOut) { try await gateway.local() }
    await #expect(throws: CueError.signedOut) { try await gateway.refresh() }
    await #expect(throws: CueError.signedOut) { try await gateway.shuffle() }
    await #expect(throws: CueError.signedOut) { try await gateway.edit("a", .review) }
  }

  @Test func theListIsKeptAndShowsWithoutTheBackendAfterARelaunch() async throws {
    let (sync, gateway) = try await ready()
    #expect(try await gateway.local()?.source == .network)
    bench.bench.time.advance(by: .seconds(6))
    #expect(try await gateway.local()?.source == .cache)
    await sync.stop()
    await bench.bench.stack.shutdown()
    for path in [CueEndpoints.GetCues.path, AccountEndpoints.Me.path, AuthEndpoints.RefreshTokens.path] {
      bench.bench.backend.on(path) { _ throws(TransportError) in throw .offline(kind: .cannotConnect) }
    }
    let stack = bench.bench.relaunched()
    await stack.session.bootstrap()
    let again = CueGateway.backend(await bench.sync(stack))
    let list = try await again.local()
    #expect(list?.cues.map(\.cueID) == ["a", "b", "c"] && list?.source == .cache)
  }

  @Test func whoseMovesAreKeptIsKnownAfterARelaunchBeforeTheAccountIs() async throws {
    let (sync, gateway) = try await ready()
    bench.nextIsOffline()
    _ = try await gateway.edit("a", .review)
    await sync.stop()
    await bench.bench.stack.shutdown()
    bench.setUnreachable(true)
    let stack = bench.bench.relaunched()
    // The tokens are others by now, and nobody has asked who is signed in.
    await stack.session.bootstrap()
    #expect(bench.bench.backend.refreshes == 1)
    let again = await bench.sync(stack, followsTheSession: false)
    #expect(await again.unsentEdits() == 1)
  }

  @Test func shufflingNeedsTheBackend() async throws {
    let (_, gateway) = try await ready()
    bench.bench.backend.on(CueEndpoints.ShuffleCues.path) { _ throws(TransportError) in throw .offline(kind: .cannotConnect) }
    let shuffle = Task { try await gateway.shuffle() }
    for _ in 1...2 {
      await bench.bench.time.waitForSleepers()
      bench.bench.time.advance(by: .seconds(10))
    }
    await #expect(throws: CueError.failed(.offline)) { try await shuffle.value }
    #expect(try await gateway.local()?.cues.map(\.cueID) == ["a", "b", "c"])
  }

  @Test func aMoveThatReachesTheBackendIsAnsweredWithWhatItMade() async throws {
    let (_, gateway) = try await ready()
    let cue = Self.reached(try await gateway.edit("a", .review))
    #expect(cue?.stage == .review && cue?.isPending == false)
    #expect(cue?.updatedAt == Date(timeIntervalSince1970: 1.001))
    #expect(bench.applied == ["a review"])
    #expect(try bench.kept() == 0)
    #expect(bench.keys[0] != nil)
  }

  @Test func theSameStageAgainIsNoMove() async throws {
    let (_, gateway) = try await ready()
    #expect(Self.reached(try await gateway.edit("a", .new)) != nil)
    #expect(bench.moves.isEmpty)
  }

  @Test func aMoveOfAnUnknownCueIsRefusedHere() async throws {
    let (_, gateway) = try await ready()
    await #expect(throws: CueError.cueNotFound) { try await gateway.edit("z", .review) }
    #expect(bench.moves.isEmpty)
  }

  @Test func offlineAMoveIsKeptAtOnceAndGoesOutOnceTheBackendIsHeard() async throws {
    let (_, gateway) = try await ready()
    bench.nextIsOffline()
    let cue = Self.kept(try await gateway.edit("a", .review))
    #expect(cue?.stage == .review && cue?.isPending == true && bench.applied.isEmpty)
    #expect(try await gateway.local()?.source == .cache, "nobody who reads now is told that the backend was heard")
    // Whatever reaches the backend is the sign that it can be reached.
    _ = try await gateway.refresh()
    try await bench.until { try bench.kept() == 0 }
    #expect(bench.applied == ["a review"])
    #expect(try await gateway.local()?.source == .network)
  }

  @Test func aMoveWaitsOutWhatTheBackendAsksFor() async throws {
    let (_, gateway) = try await ready()
    bench.next { _, _ in ScriptedBackend.error(429, BackendErrorCode.tooManyAttempts, headers: [.retryAfter: "7"]) }
    #expect(Self.kept(try await gateway.edit("a", .review)) != nil)
    _ = try await gateway.refresh()
    #expect(Self.kept(try await gateway.edit("b", .review)) != nil, "connectivity is not what is missing")
    #expect(bench.moves.count == 1)
    await bench.bench.time.waitForSleepers()
    bench.bench.time.advance(by: .seconds(7))
    try await bench.until { try bench.kept() == 0 }
    #expect(bench.applied == ["a review", "b review"])
  }

  @Test func aLostAnswerIsNotASecondMove() async throws {
    let (_, gateway) = try await ready()
    bench.next { request, model throws(TransportError) in
      _ = model.carryOut(request)
      throw .connectionLost(mayHaveBeenProcessed: true)
    }
    #expect(Self.kept(try await gateway.edit("a", .review)) != nil)
    #expect(Self.reached(try await gateway.edit("b", .review)) != nil, "a user's move asks for the one before it too")
    #expect(bench.applied == ["a review", "b review"])
    #expect(bench.keys[0] == bench.keys[1] && bench.keys[1] != bench.keys[2])
  }

  @Test func aMoveIsSentUnderTheSameKeyAfterARelaunch() async throws {
    let (sync, gateway) = try await ready()
    bench.next { request, model throws(TransportError) in
      _ = model.carryOut(request)
      throw .connectionLost(mayHaveBeenProcessed: true)
    }
    _ = try await gateway.edit("a", .review)
    await sync.stop()
    await bench.bench.stack.shutdown()
    let stack = bench.bench.relaunched()
    let again = await bench.sync(stack)
    await stack.session.bootstrap()
    try await bench.until { try bench.kept() == 0 }
    await again.stop()
    #expect(bench.applied == ["a review"])
    #expect(Set(bench.keys).count == 1)
  }

  @Test func movesOfOneCueBuildOnEachOther() async throws {
    let (_, gateway) = try await ready()
    bench.nextIsOffline()
    #expect(Self.kept(try await gateway.edit("a", .learning)) != nil)
    #expect(Self.kept(try await gateway.edit("a", .mastered))?.stage == .mastered)
    _ = await bench.bench.me()
    try await bench.until { try bench.kept() == 0 }
    #expect(bench.applied == ["a learning", "a mastered"])
    #expect(bench.moves.count == 3, "no conflict on the way")
  }

  @Test func whileTheBackendIsOutOfReachAMoveShowsAsWaitingAndGoesOutOnceAnotherCallGetsThrough() async throws {
    let (_, gateway) = try await ready()
    bench.setUnreachable(true)
    #expect(Self.kept(try await gateway.edit("a", .review)) != nil)
    // This one asks again, patiently, and its maker is not kept waiting.
    #expect(Self.kept(try await gateway.edit("b", .review)) != nil)
    try await bench.until { bench.waitingRows == ["update_cue_stage"] }
    #expect(bench.moves.count == 1)
    bench.setUnreachable(false)
    _ = await bench.bench.me()
    try await bench.until { try bench.kept() == 0 }
    #expect(bench.applied == ["a review", "b review"] && bench.waitingRows.isEmpty)
  }

  @Test func aListThatCannotBeFetchedIsSaidSoAndComesByItself() async throws {
    let (_, gateway) = try await ready()
    bench.setUnreachable(true)
    bench.forgetNotices()
    _ = try await BrowseCues(gateway: gateway)()
    try await bench.until { bench.told.map(\.kind) == [.syncFailed] }
    #expect(bench.told[0].reason == "offline")
    #expect(try await gateway.local()?.source == .cache)
    try await bench.until { bench.waitingRows == ["get_cues"] }
    bench.setUnreachable(false)
    bench.set(CueReconciliationTests.cue("a", .mastered, at: 30))
    _ = await bench.bench.me()
    try await bench.until { bench.told.map(\.kind) == [.syncFailed, .synced] }
    #expect(try await gateway.local()?.source == .network)
    #expect(try await gateway.local()?.cues[0].stage == .mastered)
  }

  @Test func readingTheListUponItsNewsIsNoNews() async throws {
    let (_, gateway) = try await ready()
    bench.forgetNotices()
    let fetches = bench.bench.backend.requests(CueEndpoints.GetCues.path).count
    for number in 1...3 {
      _ = try await BrowseCues(gateway: gateway)()
      try await bench.until { bench.bench.backend.requests(CueEndpoints.GetCues.path).count >= fetches + number }
      _ = try await gateway.refresh()
    }
    #expect(bench.told.isEmpty)
  }

  @Test func anotherProfileShowsItsOwnCuesAndTheMovesOfTheFirstGoOn() async throws {
    let (_, gateway) = try await ready()
    bench.set(
      CueBody(
        cueID: "x", profileID: "q", prompt: "", answer: "", stage: .new, position: 0, updatedAt: Timestamp(milliseconds: 10)))
    bench.nextIsOffline()
    #expect(Self.kept(try await gateway.edit("a", .review)) != nil)
    bench.setProfile("q")
    _ = try await bench.bench.stack.account.fetchMe()
    #expect(try await gateway.local() == nil, "the first profile's list is not this one's")
    #expect(try await gateway.refresh().cues.map(\.cueID) == ["x"])
    await #expect(throws: CueError.cueNotFound) { try await gateway.edit("b", .review) }
    try await bench.until { try bench.kept() == 0 }
    #expect(bench.applied == ["a review"])
    bench.setProfile("p")
    _ = try await bench.bench.stack.account.fetchMe()
    #expect(try await gateway.local()?.cues.map(\.stage) == [.review, .new, .new])
  }

  @Test func moreMovesThanTheOutboxHoldsAreNotTaken() async throws {
    try await bench.signIn()
    let edits = (0..<Outbox.limit).map { CueChange.insert(CueStoreTests.edit("\($0)", cue: "a", .review)) }
    try bench.store.apply(edits, userID: "u1")
    bench.next { _, _ in ScriptedBackend.error(503, BackendErrorCode.unavailable) }
    let gateway = CueGateway.backend(await bench.sync())
    _ = try await gateway.refresh()
    await #expect(throws: CueError.storageFull) { try await gateway.edit("b", .review) }
    #expect(try bench.kept() == Outbox.limit)
  }

  @Test func anEditThatCannotBeKeptIsNotTaken() async throws {
    let (_, gateway) = try await ready()
    try await bench.execute("CREATE TRIGGER full BEFORE INSERT ON cue_edit BEGIN SELECT RAISE(ABORT, 'full'); END")
    await #expect(throws: CueError.storageFull) { try await gateway.edit("a", .review) }
    #expect(bench.moves.isEmpty)
    #expect(try await gateway.local()?.cues[0].stage == .new)
  }

  @Test func whatCannotBeNotedIsSentAgainUnderTheSameKey() async throws {
    let (_, gateway) = try await ready()
    try await bench.execute("CREATE TRIGGER full BEFORE DELETE ON cue_edit BEGIN SELECT RAISE(ABORT, 'full'); END")
    #expect(Self.kept(try await gateway.edit("a", .review)) != nil)
    try await bench.execute("DROP TRIGGER full")
    await bench.bench.time.waitForSleepers()
    bench.bench.time.advance(by: .seconds(1))
    try await bench.until { try bench.kept() == 0 }
    #expect(bench.applied == ["a review"] && bench.moves.count == 2)
  }

  @Test func aSlowBackendIsNotWaitedForLongerThanTheUserWould() async throws {
    let (_, gateway) = try await ready()
    let gate = Gate()
    let path = CueEndpoints.UpdateCueStage.path
    bench.bench.backend.on(path) { _ throws(TransportError) in
      await gate.pass()
      throw .timedOut(.idle)
    }
    let outcome = Task { try await gateway.edit("a", .review) }
    await gate.waitForArrivals()
    await bench.bench.time.waitForSleepers()
    bench.bench.time.advance(by: .seconds(5))
    #expect(Self.kept(try await outcome.value)?.isPending == true)
    gate.open()
  }
}
