import Client
import Domain
import HTTPTypes
import RPC
import Support
import Testing

/// The 401 and refresh machine over the whole chain: reference list of edge cases, 1 to 16.
@Suite(.timeLimit(.minutes(1)))
struct SessionEndTests {
  @Test func answerOfAnEndedSessionIsVoid() async throws {
    let bench = try ClientHarness()
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
    (BackendErrorCode.refreshTokenExpired, LogoutReason.refreshTokenExpired),
    (BackendErrorCode.deviceNotRegistered, .deviceNotRegistered),
  ])
  func refusalOfTheSessionEndsItWithoutARefresh(code: String, reason: LogoutReason) async throws {
    let bench = try ClientHarness()
    try await bench.signIn()
    bench.backend.on(AccountEndpoints.Me.path) { _ in ScriptedBackend.error(401, code) }
    #expect(await bench.me() == .failure(.sessionEnded))
    #expect(await bench.session.state.reason == reason.rawValue)
    #expect(bench.backend.refreshes == 0)
  }

  @Test func callWithoutAuthNeverRefreshes() async throws {
    let bench = try ClientHarness()
    try await bench.signIn()
    bench.backend.on(AuthEndpoints.LoginWithCode.path) { _ in ScriptedBackend.error(401, BackendErrorCode.accessTokenExpired) }
    await #expect(throws: AuthError.failed(.unauthorized)) { try await bench.signIn() }
    #expect(bench.backend.refreshes == 0)
    #expect(await bench.session.state.phase == .authenticated)
  }

  @Test func stormOfRefreshesIsStopped() async throws {
    let bench = try ClientHarness()
    try await bench.signIn()
    bench.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in TransportResponse(status: 401) }
    for _ in 0..<20 { #expect(await bench.me() == .failure(.unauthorized)) }
    #expect(bench.backend.refreshes == 5)
    bench.time.advance(by: .seconds(31))
    _ = await bench.me()
    #expect(bench.backend.refreshes == 6)
  }
}
