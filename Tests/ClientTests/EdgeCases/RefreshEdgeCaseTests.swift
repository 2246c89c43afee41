import Client
import Domain
import FoundationEssentials
import HTTPTypes
import Observability
import RPC
import Support
import Testing

/// Edge cases 1 to 9: one refresh, whoever asks, waits or leaves.
@Suite(.timeLimit(.minutes(2)))
struct RefreshEdgeCaseTests {
  /// Naive: a refresh for each 401, all but one of which fail because of rotation.
  @Test func edgeCase01AThousandRefusalsMakeOneRefresh() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.expireAccessTokens()
    // All thousand are sent with the bad token before the first 401 arrives.
    let gate = Gate()
    harness.backend.on(AccountEndpoints.Me.path) { request throws(TransportError) in
      if request.headers[.authorization] == "Bearer access-1" { await gate.pass() }
      return harness.backend.answer(request)
    }
    let results = await withTaskGroup { group in
      for _ in 0..<1000 { group.addTask { await harness.me() } }
      await gate.waitForArrivals(1000)
      gate.open()
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.allSatisfy { (try? $0.get()) != nil })
    #expect(harness.backend.refreshes == 1)
    #expect(harness.backend.requests(AccountEndpoints.Me.path).count == 2000)
  }

  /// Naive: every 401 refreshes, whichever token it was for.
  @Test func edgeCase02ALateRefusalOfAnOldTokenCostsNoRefresh() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    let gate = Gate()
    harness.backend.on(AccountEndpoints.Me.path) { request throws(TransportError) in
      let answer = harness.backend.answer(request)
      if request.headers[.authorization] == "Bearer access-1" { await gate.pass() }
      return answer
    }
    harness.backend.expireAccessTokens()
    async let late = harness.me()
    await gate.waitForArrivals(1)
    #expect(await harness.session.refresh() == .refreshed)
    gate.open()
    #expect((try? await late.get()) != nil)
    #expect(harness.backend.refreshes == 1)
  }

  /// Naive: the failure is cleared with the refresh, so that each late 401 uses the token again.
  @Test func edgeCase03ALateRefusalAfterAFailedRefreshGetsTheSameError() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.expireAccessTokens()
    let (first, late) = (Gate(), Gate())
    let arrivals = LockedBox(0)
    harness.backend.on(AccountEndpoints.Me.path) { request throws(TransportError) in
      arrivals.value += 1
      // All are sent with the token before the first gets a 401; the others get theirs after its refresh failed.
      await (arrivals.value == 1 ? first : late).pass()
      return harness.backend.answer(request)
    }
    harness.backend.on(AuthEndpoints.RefreshTokens.path) { _ in ScriptedBackend.error(503, "unavailable") }
    let call = Task { await harness.me() }
    await first.waitForArrivals()
    let others = (0..<5).map { _ in Task { await harness.me() } }
    await late.waitForArrivals(5)
    first.open()
    let error = await call.value
    #expect(error == .failure(.server(statusCode: 503)))
    late.open()
    for other in others { #expect(await other.value == error) }
    #expect(harness.backend.refreshes == 1)
    #expect(harness.backend.requests(AccountEndpoints.Me.path).count == 6)
  }

  @Test func edgeCase03CallsThatComeLaterAreNotSentWithABadToken() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.expireAccessTokens()
    harness.backend.on(AuthEndpoints.RefreshTokens.path) { _ in ScriptedBackend.error(503, "unavailable") }
    let error = await harness.me()
    for _ in 0..<9 { #expect(await harness.me() == error) }
    #expect(harness.backend.refreshes == SessionMachine.windowLimit)
    #expect(harness.backend.requests(AccountEndpoints.Me.path).count == 1)
  }

  /// Naive: a failure is remembered for ever.
  @Test func edgeCase04ALoginOpensTheSlotOfAFailedRefresh() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.expireAccessTokens()
    harness.backend.on(AuthEndpoints.RefreshTokens.path) { _ in ScriptedBackend.error(503, "unavailable") }
    _ = await harness.me()
    harness.backend.reset(AuthEndpoints.RefreshTokens.path)
    try await harness.signIn()
    harness.backend.expireAccessTokens()
    #expect((try? await harness.me().get()) != nil)
    #expect(harness.backend.refreshes == 2)
  }

  @Test func edgeCase04TheNextCallOpensTheSlotOfAPassingFailure() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.expireAccessTokens()
    harness.backend.on(AuthEndpoints.RefreshTokens.path) { _ throws(TransportError) in throw .timedOut(.idle) }
    #expect(await harness.me() == .failure(.timeout))
    harness.backend.reset(AuthEndpoints.RefreshTokens.path)
    #expect((try? await harness.me().get()) != nil)
    #expect(harness.backend.refreshes == 2)
  }

  @Test func edgeCase04AUsersWishDoesNotWaitForTheCooldown() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.on(AuthEndpoints.RefreshTokens.path) { _ throws(TransportError) in throw .offline(kind: .notConnected) }
    #expect(await harness.session.refresh() == .failed(.offline))
    harness.backend.reset(AuthEndpoints.RefreshTokens.path)
    #expect(await harness.session.refresh() == .refreshed)
  }

  /// Naive: the refresh goes through the same chain, gets a 401 itself and refreshes for ever.
  @Test(arguments: [
    (BackendErrorCode.refreshTokenExpired, LogoutReason.refreshTokenExpired),
    (BackendErrorCode.deviceNotRegistered, .deviceNotRegistered),
    (BackendErrorCode.refreshTokenReused, .refreshTokenReused),
    (BackendErrorCode.invalidToken, .invalidToken),
  ])
  func edgeCase05ARefusedRefreshEndsTheSessionAndAsksOnce(code: String, reason: LogoutReason) async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.expireAccessTokens()
    harness.backend.on(AuthEndpoints.RefreshTokens.path) { _ in ScriptedBackend.error(401, code) }
    #expect(await harness.me() == .failure(.sessionEnded))
    #expect(harness.backend.refreshes == 1)
    let state = await harness.session.state
    #expect(state.phase == .signedOut)
    #expect(state.reason == reason.rawValue)
    #expect(try harness.store.load() == nil)
    #expect(await harness.me() == .failure(.unauthorized))
  }

  @Test func edgeCase05ARefreshThatMeetsAnExpiredAccessTokenDoesNotRecur() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.expireAccessTokens()
    harness.backend.on(AuthEndpoints.RefreshTokens.path) { _ in ScriptedBackend.error(401, BackendErrorCode.accessTokenExpired) }
    #expect(await harness.me() == .failure(.sessionEnded))
    #expect(harness.backend.refreshes == 1)
    #expect(harness.backend.requests(AuthEndpoints.RefreshTokens.path).first?.headers[.authorization] == nil)
    #expect(await harness.session.state.reason == LogoutReason.refreshRefused.rawValue)
  }

  /// Naive: an error between setting and clearing the refresh, after which every later call waits for ever.
  @Test(
    arguments: [
      "garbage", "", "{}", "[]", "null", #"{"refresh_token":"r"}"#,
      #"{"access_token":"a\r\nX-Injected: 1","refresh_token":"r","token_type":"Bearer","expires_in":1,"expires_at":"2026-11-21T12:00:00Z","refresh_expires_in":1,"refresh_expires_at":"2026-11-21T12:00:00Z","session_id":"s"}"#,
    ])
  func edgeCase06ARefreshThatAnswersNonsenseClearsTheSlot(body: String) async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.expireAccessTokens()
    let gate = Gate()
    harness.backend.on(AuthEndpoints.RefreshTokens.path) { _ throws(TransportError) in
      await gate.pass()
      return TransportResponse(status: 200, body: Array(body.utf8))
    }
    let calls = (0..<3).map { _ in Task { await harness.me() } }
    await harness.waitForRefreshWaiters(3)
    gate.open()
    for call in calls { #expect(await call.value.error?.word == "unexpected_payload") }
    // The row says so too, although its status is 200.
    let rows = harness.log.rows().events.filter { $0.endpoint == "refresh_tokens" }
    #expect(rows.map(\.error) == ["unexpected_payload"] && rows.first?.errorDetail != nil && rows.first?.state == .failure)
    #expect(try harness.store.load()?.refreshToken == "refresh-1")
    harness.backend.reset(AuthEndpoints.RefreshTokens.path)
    #expect(await harness.session.refresh() == .refreshed)
    #expect((try? await harness.me().get()) != nil)
    #expect(harness.backend.refreshes == 2)
  }

  /// Naive: `try await refresh.value`, which does not return before the refresh does, or a refresh that is a child of the first
  /// caller.
  @Test func edgeCase07ACancelledWaiterLeavesAlone() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.expireAccessTokens()
    let gate = harness.backend.gateRefreshes()
    let calls = (0..<10).map { _ in Task { await harness.me() } }
    await harness.waitForRefreshWaiters(10)
    calls[0].cancel()
    // It returns while the refresh is still blocked.
    #expect(await calls[0].value == .failure(.cancelled))
    #expect(await harness.session.waitingCount == 9)
    gate.open()
    for call in calls.dropFirst() { #expect((try? await call.value.get()) != nil) }
    #expect(harness.backend.refreshes == 1)
  }

  /// Naive: `defer { refresh = nil }` in the first caller, which leaves before the refresh ends.
  @Test func edgeCase08TheFirstCallersLeaveDoesNotOpenTheSlot() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.expireAccessTokens()
    let (gate, late) = (Gate(), Gate())
    let arrivals = LockedBox(0)
    harness.backend.on(AccountEndpoints.Me.path) { request throws(TransportError) in
      arrivals.value += 1
      let answer = harness.backend.answer(request)
      if arrivals.value == 1 { await late.pass() }
      return answer
    }
    harness.backend.on(AuthEndpoints.RefreshTokens.path) { request throws(TransportError) in
      await gate.pass()
      return harness.backend.refresh(request)
    }
    // One that gets a late 401, and the one that starts the refresh and leaves.
    let second = Task { await harness.me() }
    await late.waitForArrivals()
    let first = Task { await harness.me() }
    await gate.waitForArrivals()
    first.cancel()
    #expect(await first.value == .failure(.cancelled))
    late.open()
    await harness.waitForRefreshWaiters(1)
    gate.open()
    #expect((try? await second.value.get()) != nil)
    #expect(harness.backend.refreshes == 1)
    #expect(await harness.session.state.phase == .authenticated)
  }

  /// Naive: the cancellation of the last waiter ends the refresh, whose token the backend has already used.
  @Test func edgeCase09ARefreshGoesOnWithoutWaiters() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.expireAccessTokens()
    let gate = Gate()
    harness.backend.on(AuthEndpoints.RefreshTokens.path) { request throws(TransportError) in
      await gate.pass()
      return Task.isCancelled ? ScriptedBackend.error(500, "internal") : harness.backend.refresh(request)
    }
    let calls = (0..<3).map { _ in Task { await harness.me() } }
    await harness.waitForRefreshWaiters(3)
    for call in calls { call.cancel() }
    for call in calls { #expect(await call.value == .failure(.cancelled)) }
    var states = await harness.session.states().makeAsyncIterator()
    #expect(await states.next()?.phase == .refreshing)
    gate.open()
    #expect(await states.next()?.phase == .authenticated)
    #expect(try harness.store.load()?.refreshToken == "refresh-2")
    #expect(harness.backend.refreshes == 1)
  }
}
