import Client
import Domain
import HTTPTypes
import RPC
import Support
import Testing

/// The 401 and refresh machine over the whole chain: reference list of edge cases, 1 to 16.
@Suite(.timeLimit(.minutes(1)))
struct RefreshTests {
  @Test func thousandRefusalsMakeOneRefresh() async throws {
    let bench = try ClientBench()
    try await bench.signIn()
    bench.backend.expireAccessTokens()
    // All thousand are out with the bad token before the first 401 comes back.
    let gate = Gate()
    bench.backend.on(AccountEndpoints.Me.path) { request throws(TransportError) in
      if request.headers[.authorization] == "Bearer access-1" { await gate.pass() }
      return bench.backend.answer(request)
    }
    let results = await withTaskGroup { group in
      for _ in 0..<1000 { group.addTask { await bench.me() } }
      await gate.waitForArrivals(1000)
      gate.open()
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.allSatisfy { (try? $0.get()) != nil })
    #expect(bench.backend.refreshes == 1)
    #expect(bench.backend.requests(AccountEndpoints.Me.path).count == 2000)
  }

  @Test func lateRefusalOfAnOldTokenCostsNoRefresh() async throws {
    let bench = try ClientBench()
    try await bench.signIn()
    let gate = Gate()
    bench.backend.on(AccountEndpoints.Me.path) { request throws(TransportError) in
      let answer = bench.backend.answer(request)
      if request.headers[.authorization] == "Bearer access-1" { await gate.pass() }
      return answer
    }
    bench.backend.expireAccessTokens()
    async let late = bench.me()
    await gate.waitForArrivals(1)
    #expect(await bench.session.refresh() == .refreshed)
    gate.open()
    #expect((try? await late.get()) != nil)
    #expect(bench.backend.refreshes == 1)
  }

  @Test func newCallsWaitForTheRefresh() async throws {
    let bench = try ClientBench()
    try await bench.signIn()
    let gate = Gate()
    bench.backend.on(AuthEndpoints.RefreshTokens.path) { request throws(TransportError) in
      await gate.pass()
      return bench.backend.refresh(request)
    }
    bench.backend.expireAccessTokens()
    async let first = bench.me()
    await gate.waitForArrivals(1)
    #expect(await bench.session.state.phase == .refreshing)
    async let second = bench.me()
    await bench.waitForParked(2)
    gate.open()
    #expect((try? await first.get()) != nil)
    #expect((try? await second.get()) != nil)
    // The second never went out with the token that was known to be bad.
    #expect(
      bench.backend.requests(AccountEndpoints.Me.path).map { $0.headers[.authorization] } == [
        "Bearer access-1", "Bearer access-2", "Bearer access-2",
      ])
  }

  @Test(arguments: [
    (BackendErrorCode.refreshTokenExpired, LogoutReason.refreshTokenExpired),
    (BackendErrorCode.deviceNotRegistered, .deviceNotRegistered),
    (BackendErrorCode.refreshTokenReused, .refreshTokenReused),
    (BackendErrorCode.invalidToken, .invalidToken),
  ])
  func refusedRefreshEndsTheSession(code: String, reason: LogoutReason) async throws {
    let bench = try ClientBench()
    try await bench.signIn()
    bench.backend.expireAccessTokens()
    bench.backend.on(AuthEndpoints.RefreshTokens.path) { _ in ScriptedBackend.error(401, code) }
    #expect(await bench.me() == .failure(.sessionEnded))
    #expect(bench.backend.refreshes == 1)
    let state = await bench.session.state
    #expect(state.phase == .signedOut)
    #expect(state.reason == reason.rawValue)
    #expect(try bench.store.load() == nil)
    #expect(await bench.me() == .failure(.unauthorized))
  }

  @Test(
    arguments: [
      .failure(.offline(kind: .cannotConnect)), .failure(.timedOut(.idle)), .failure(.cancelled),
      .failure(.connectionLost(mayHaveBeenProcessed: false)),
      .success(ScriptedBackend.error(429, "too_many_attempts")), .success(ScriptedBackend.error(500, "internal")),
      .success(ScriptedBackend.error(503, "unavailable")), .success(ScriptedBackend.error(401, "something_new")),
      .success(ScriptedBackend.error(401, BackendErrorCode.invalidSignature)),
      .success(ScriptedBackend.error(400, "invalid_request")),
      .success(TransportResponse(status: 200, body: Array("garbage".utf8))),
    ] as [Result<TransportResponse, TransportError>])
  func passingFailureOfARefreshKeepsTheSession(answer: Result<TransportResponse, TransportError>) async throws {
    let bench = try ClientBench()
    try await bench.signIn()
    bench.backend.expireAccessTokens()
    bench.backend.on(AuthEndpoints.RefreshTokens.path) { _ throws(TransportError) in try answer.get() }
    let first = await bench.me()
    #expect((try? first.get()) == nil)
    #expect(await bench.session.state.phase == .error)
    #expect(try bench.store.load()?.refreshToken == "refresh-1")
    // Until the cooldown ends, others get the same error without another refresh.
    #expect(await bench.me() == first)
    #expect(bench.backend.refreshes == 1)
    // Then it works again.
    bench.backend.reset(AuthEndpoints.RefreshTokens.path)
    bench.time.advance(by: .seconds(61))
    #expect((try? await bench.me().get()) != nil)
    #expect(await bench.session.state.phase == .authenticated)
  }

  @Test func lostAnswerOfARefreshIsAskedForAgainAtOnce() async throws {
    let bench = try ClientBench()
    try await bench.signIn()
    bench.backend.expireAccessTokens()
    bench.backend.on(AuthEndpoints.RefreshTokens.path) { request throws(TransportError) in
      if bench.backend.refreshes == 1 { throw .connectionLost(mayHaveBeenProcessed: true) }
      return bench.backend.refresh(request)
    }
    #expect((try? await bench.me().get()) != nil)
    #expect(bench.backend.refreshes == 2)
    // Only once: a line that stays broken is a passing failure.
    bench.backend.on(AuthEndpoints.RefreshTokens.path) { _ throws(TransportError) in
      throw .connectionLost(mayHaveBeenProcessed: true)
    }
    #expect(await bench.session.refresh() == .failed(.connectionLost(mayHaveBeenProcessed: true)))
    #expect(bench.backend.refreshes == 4)
    #expect(await bench.session.state.phase == .error)
  }

  @Test func forcedRefreshDoesNotWaitForTheCooldown() async throws {
    let bench = try ClientBench()
    try await bench.signIn()
    bench.backend.on(AuthEndpoints.RefreshTokens.path) { _ throws(TransportError) in throw .offline(kind: .notConnected) }
    #expect(await bench.session.refresh() == .failed(.offline))
    bench.backend.reset(AuthEndpoints.RefreshTokens.path)
    #expect(await bench.session.refresh() == .refreshed)
  }

  @Test func cancelledWaiterLeavesAlone() async throws {
    let bench = try ClientBench()
    try await bench.signIn()
    bench.backend.expireAccessTokens()
    let gate = Gate()
    bench.backend.on(AuthEndpoints.RefreshTokens.path) { request throws(TransportError) in
      await gate.pass()
      return bench.backend.refresh(request)
    }
    let calls = (0..<10).map { _ in Task { await bench.me() } }
    await bench.waitForParked(10)
    calls[0].cancel()
    // It returns while the refresh is still held.
    #expect(await calls[0].value == .failure(.cancelled))
    #expect(await bench.session.waitingCount == 9)
    gate.open()
    for call in calls.dropFirst() { #expect((try? await call.value.get()) != nil) }
    #expect(bench.backend.refreshes == 1)
  }

  @Test func refreshGoesOnWithoutWaiters() async throws {
    let bench = try ClientBench()
    try await bench.signIn()
    bench.backend.expireAccessTokens()
    let gate = Gate()
    bench.backend.on(AuthEndpoints.RefreshTokens.path) { request throws(TransportError) in
      await gate.pass()
      return Task.isCancelled ? ScriptedBackend.error(500, "internal") : bench.backend.refresh(request)
    }
    let calls = (0..<3).map { _ in Task { await bench.me() } }
    await bench.waitForParked(3)
    for call in calls { call.cancel() }
    for call in calls { #expect(await call.value == .failure(.cancelled)) }
    var states = await bench.session.states().makeAsyncIterator()
    #expect(await states.next()?.phase == .refreshing)
    gate.open()
    #expect(await states.next()?.phase == .authenticated)
    #expect(try bench.store.load()?.refreshToken == "refresh-2")
    #expect(bench.backend.refreshes == 1)
  }
}
