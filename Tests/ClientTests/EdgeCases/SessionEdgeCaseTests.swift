import Client
import Domain
import FoundationEssentials
import HTTPTypes
import RPC
import Support
import Locking
import Testing

/// Edge cases 10 to 16: sessions that end, start, and meet failures and clocks; `VerdictEdgeCaseTests` has the refusals.
@Suite(.timeLimit(.minutes(2)))
struct SessionEdgeCaseTests {
  /// Waits until the session has dropped the outcome of a refresh, or has changed because of it.
  private static func waitForOutcome(_ log: CapturedLog, _ harness: ClientHarness, after number: UInt64) async {
    await eventually {
      let hasChanged = await harness.session.state.number != number
      return hasChanged || log.lines.contains { $0.message == "the outcome of a refresh was dropped: its session is over" }
    }
  }

  /// Naive: the response of the refresh is stored whenever it arrives.
  @Test func edgeCase10ALogoutDuringARefreshWins() async throws {
    let log = CapturedLog()
    let harness = try ClientHarness(logger: log.logger())
    try await harness.signIn()
    harness.backend.expireAccessTokens()
    let gate = harness.backend.gateRefreshes()
    let call = Task { await harness.me() }
    await harness.waitForRefreshWaiters(1)
    await gate.waitForArrivals(1)
    await harness.stack.auth.logout(.user)
    #expect(await call.value == .failure(.sessionEnded))
    let number = await harness.session.state.number
    gate.open()
    await Self.waitForOutcome(log, harness, after: number)
    #expect(await harness.session.state.phase == .signedOut)
    #expect(await harness.session.state.number == number)
    #expect(try harness.store.load() == nil)
  }

  /// Naive: the outcome of a refresh is applied to whoever is signed in.
  @Test(arguments: [true, false])
  func edgeCase11AnotherLoginDuringARefreshIsUntouched(refreshSucceeds: Bool) async throws {
    let log = CapturedLog()
    let harness = try ClientHarness(logger: log.logger())
    try await harness.signIn()
    harness.backend.expireAccessTokens()
    let gate = Gate()
    harness.backend.on(AuthEndpoints.RefreshTokens.path) { _ throws(TransportError) in
      await gate.pass()
      return refreshSucceeds
        ? ScriptedBackend.json(harness.backend.issue()) : ScriptedBackend.error(401, BackendErrorCode.refreshTokenReused)
    }
    let call = Task { await harness.me() }
    await harness.waitForRefreshWaiters(1)
    await gate.waitForArrivals(1)
    await harness.stack.auth.logout(.user)
    try await harness.signIn()
    let state = await harness.session.state
    #expect(state.phase == .authenticated)
    gate.open()
    await Self.waitForOutcome(log, harness, after: state.number)
    // The first user's call is not repeated with the other's token, and nobody is signed out.
    #expect(await call.value == .failure(.sessionEnded))
    #expect(harness.backend.requests(AccountEndpoints.Me.path).count == 1)
    #expect(await harness.session.state == state)
    #expect(try harness.store.load()?.refreshToken == "refresh-2")
  }

  /// Naive: one refresh slot for any token, so that the second session gets the first one's.
  @Test func edgeCase12ARefreshIsJoinedForItsOwnTokenOnly() async throws {
    let log = CapturedLog()
    let harness = try ClientHarness(logger: log.logger())
    try await harness.signIn()
    let first = Gate()
    harness.backend.on(AuthEndpoints.RefreshTokens.path) { request throws(TransportError) in
      let isFirst = String(decoding: request.body ?? [], as: UTF8.self).contains("refresh-1")
      if isFirst { await first.pass() }
      return harness.backend.refresh(request)
    }
    let stale = Task { await harness.session.refresh() }
    await first.waitForArrivals()
    try await harness.signIn()
    #expect(await stale.value == .ended)
    // It neither waits for the other nor gets its outcome.
    #expect(await harness.session.refresh() == .refreshed)
    #expect(try harness.store.load()?.refreshToken == "refresh-3")
    let number = await harness.session.state.number
    first.open()
    await Self.waitForOutcome(log, harness, after: number)
    #expect(try harness.store.load()?.refreshToken == "refresh-3")
    #expect(harness.backend.refreshes == 2)
  }

  /// Naive: calls only share a refresh while it is in progress.
  @Test func edgeCase13WhoAsksWithAnOldTokenAfterwardsGetsTheNewOneForNothing() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    let session = harness.session
    let cause = RefreshCause()
    let old = try await session.credential(epoch: nil, deadline: harness.time.now + .seconds(60), cause: cause)
    #expect(await session.refresh() == .refreshed)
    for _ in 0..<3 {
      try await session.recover(old.stamp, isKnownBad: true, deadline: harness.time.now + .seconds(60), cause: cause)
    }
    let new = try await session.credential(epoch: old.stamp.epoch, deadline: harness.time.now + .seconds(60), cause: cause)
    #expect(new.accessToken == "access-2")
    #expect(harness.backend.refreshes == 1)
  }

  /// The token was read from the store before another caller used it.
  @Test func edgeCase13ATokenReadBeforeARefreshIsNotSpentAfterIt() async throws {
    let store = BlockingTokenStore()
    let harness = try ClientHarness(store: store)
    try await harness.signIn()
    store.hold()
    let launch = Task { await harness.session.bootstrap() }
    try await OwnThread.run { store.waitForReader() }
    #expect(await harness.session.refresh() == .refreshed)
    store.release()
    #expect(await launch.value.phase == .authenticated)
    #expect((try? await harness.me().get()) != nil)
    #expect(harness.backend.refreshes == 1)
    #expect(try store.load()?.refreshToken == "refresh-2")
  }

  @Test func edgeCase14ATokenInsideItsLifetimeIsUsedWhileItsRefreshFails() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.on(AuthEndpoints.RefreshTokens.path) { _ in ScriptedBackend.error(503, "unavailable") }
    harness.time.advance(by: .seconds(850))
    for _ in 0..<3 { #expect((try? await harness.me().get()) != nil) }
    #expect(harness.backend.refreshes == 1)
    #expect(await harness.session.state.phase == .authenticated)
    // After its expiry no call uses it.
    harness.time.advance(by: .seconds(51))
    #expect(await harness.me() == .failure(.server(statusCode: 503)))
    #expect(harness.backend.requests(AccountEndpoints.Me.path).count == 3)
    #expect(await harness.session.state.isSignedIn)
  }

  /// A fresh token that, by the backend's clock, has expired: its clock is an hour behind.
  @Test func edgeCase16TheLifetimeCountsAndNotTheDate() async throws {
    let harness = try ClientHarness()
    harness.backend.state.withLock { $0.expiresAt = harness.time.wall.addingTimeInterval(-2700) }
    try await harness.signIn()
    for _ in 0..<8 { #expect((try? await harness.me().get()) != nil) }
    #expect(harness.backend.refreshes == 0)
    harness.time.advance(by: .seconds(900))
    #expect((try? await harness.me().get()) != nil)
    #expect(harness.backend.refreshes == 1)
    // If the backend does reject it, one refresh solves it.
    harness.backend.expireAccessTokens()
    #expect((try? await harness.me().get()) != nil)
    #expect(harness.backend.refreshes == 2)
  }

  /// Every token has expired by the backend's date, and no lifetime says otherwise: each call refreshes once and is sent all the same, until the limit of refreshes is
  /// reached.
  @Test func edgeCase16TokensThatHaveAlwaysExpiredMakeNoRefreshStorm() async throws {
    let harness = try ClientHarness()
    harness.backend.state.withLock { ($0.accessLifetime, $0.expiresAt) = (0, harness.time.wall.addingTimeInterval(-3600)) }
    try await harness.signIn()
    for call in 1...20 {
      #expect((try? await harness.me().get()) != nil)
      #expect(harness.backend.refreshes == min(call, SessionMachine.windowLimit))
    }
    await withTaskGroup(of: Void.self) { group in
      harness.time.advance(by: .seconds(60))
      for _ in 0..<50 { group.addTask { _ = await harness.me() } }
    }
    #expect(harness.backend.refreshes <= 2 * SessionMachine.windowLimit)
    #expect(await harness.session.state.phase == .authenticated)
  }

  /// Naive: `expires_at` against the wall clock.
  @Test(arguments: [3600.0, -3600.0, 1e9])
  func edgeCase16AWallClockThatJumpsChangesNothing(seconds: Double) async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.time.stepWall(by: seconds)
    #expect((try? await harness.me().get()) != nil)
    #expect(harness.backend.refreshes == 0)
  }

  @Test func edgeCase16ARestartUnderAnotherClockRefreshesOnce() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    for step in [3600.0, -7200.0] {
      harness.time.stepWall(by: step)
      let before = harness.backend.refreshes
      let stack = harness.relaunched()
      #expect(await stack.session.bootstrap().phase == .authenticated)
      _ = try await stack.api.send(AccountEndpoints.Me())
      #expect(harness.backend.refreshes == before + 1)
    }
  }
}
