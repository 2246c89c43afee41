import Client
import Domain
import HTTPTypes
import RPC
import Support
import Testing

/// The 401 and refresh machine over the whole chain: reference list of edge cases, 1 to 16.
@Suite(.timeLimit(.minutes(1)))
struct SessionEndTests {
  @Test func logoutDuringARefreshWins() async throws {
    let bench = try ClientBench()
    try await bench.signIn()
    bench.backend.expireAccessTokens()
    let gate = Gate()
    let answered = Gate()
    bench.backend.on(AuthEndpoints.RefreshTokens.path) { request throws(TransportError) in
      await gate.pass()
      defer { answered.open() }
      return bench.backend.refresh(request)
    }
    let call = Task { await bench.me() }
    await bench.waitForParked(1)
    await bench.stack.auth.logout(.user)
    #expect(await call.value == .failure(.sessionEnded))
    let number = await bench.session.state.number
    gate.open()
    await answered.pass()
    for _ in 0..<100 { await Task.yield() }
    #expect(await bench.session.state.phase == .signedOut)
    #expect(await bench.session.state.number == number)
    #expect(try bench.store.load() == nil)
  }

  @Test(arguments: [true, false])
  func anotherLoginDuringARefreshIsUntouched(refreshSucceeds: Bool) async throws {
    let bench = try ClientBench()
    try await bench.signIn()
    bench.backend.expireAccessTokens()
    let gate = Gate()
    let answered = Gate()
    bench.backend.on(AuthEndpoints.RefreshTokens.path) { _ throws(TransportError) in
      await gate.pass()
      defer { answered.open() }
      return refreshSucceeds
        ? ScriptedBackend.json(bench.backend.issue()) : ScriptedBackend.error(401, BackendErrorCode.refreshTokenReused)
    }
    let call = Task { await bench.me() }
    await bench.waitForParked(1)
    await bench.stack.auth.logout(.user)
    try await bench.signIn()
    let state = await bench.session.state
    #expect(state.phase == .authenticated)
    gate.open()
    await answered.pass()
    for _ in 0..<100 { await Task.yield() }
    // The first one's call is not sent again with the other's token, and nobody is signed out.
    #expect(await call.value == .failure(.sessionEnded))
    #expect(bench.backend.requests(AccountEndpoints.Me.path).count == 1)
    #expect(await bench.session.state == state)
    #expect(try bench.store.load()?.refreshToken == "refresh-2")
  }

  @Test func answerOfAnEndedSessionIsVoid() async throws {
    let bench = try ClientBench()
    try await bench.signIn()
    let gate = Gate()
    bench.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in
      await gate.pass()
      return ScriptedBackend.json(ScriptedBackend.me)
    }
    async let call = bench.me()
    await gate.waitForArrivals(1)
    await bench.stack.auth.logout(.user)
    try await bench.signIn()
    gate.open()
    #expect(await call == .failure(.sessionEnded))
    #expect(await bench.session.state.user == nil)
  }

  @Test(arguments: [
    (BackendErrorCode.accessTokenExpired, LogoutReason.accessTokenRejected), (BackendErrorCode.invalidToken, .invalidToken),
  ])
  func secondRefusalEndsTheSession(code: String, reason: LogoutReason) async throws {
    let bench = try ClientBench()
    try await bench.signIn()
    bench.backend.on(AccountEndpoints.Me.path) { request throws(TransportError) in
      ScriptedBackend.error(
        401, request.headers[.authorization] == "Bearer access-1" ? BackendErrorCode.accessTokenExpired : code)
    }
    #expect(await bench.me() == .failure(.sessionEnded))
    #expect(await bench.session.state.reason == reason.rawValue)
    #expect(bench.backend.refreshes == 1)
    #expect(bench.backend.requests(AccountEndpoints.Me.path).count == 2)
  }

  @Test func unknownRefusalKeepsTheSession() async throws {
    let bench = try ClientBench()
    try await bench.signIn()
    bench.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in TransportResponse(status: 401) }
    #expect(await bench.me() == .failure(.unauthorized))
    #expect(await bench.session.state.phase == .authenticated)
    #expect(bench.backend.refreshes == 1)
    #expect(bench.backend.requests(AccountEndpoints.Me.path).count == 2)
  }

  @Test(arguments: [
    (BackendErrorCode.refreshTokenExpired, LogoutReason.refreshTokenExpired),
    (BackendErrorCode.deviceNotRegistered, .deviceNotRegistered),
  ])
  func refusalOfTheSessionEndsItWithoutARefresh(code: String, reason: LogoutReason) async throws {
    let bench = try ClientBench()
    try await bench.signIn()
    bench.backend.on(AccountEndpoints.Me.path) { _ in ScriptedBackend.error(401, code) }
    #expect(await bench.me() == .failure(.sessionEnded))
    #expect(await bench.session.state.reason == reason.rawValue)
    #expect(bench.backend.refreshes == 0)
  }

  @Test func callWithoutAuthNeverRefreshes() async throws {
    let bench = try ClientBench()
    try await bench.signIn()
    bench.backend.on(AuthEndpoints.LoginWithCode.path) { _ in ScriptedBackend.error(401, BackendErrorCode.accessTokenExpired) }
    await #expect(throws: AuthError.failed(.unauthorized)) { try await bench.signIn() }
    #expect(bench.backend.refreshes == 0)
    #expect(await bench.session.state.phase == .authenticated)
  }

  @Test func stormOfRefreshesIsStopped() async throws {
    let bench = try ClientBench()
    try await bench.signIn()
    bench.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in TransportResponse(status: 401) }
    for _ in 0..<20 { #expect(await bench.me() == .failure(.unauthorized)) }
    #expect(bench.backend.refreshes == 5)
    bench.time.advance(by: .seconds(31))
    _ = await bench.me()
    #expect(bench.backend.refreshes == 6)
  }
}
