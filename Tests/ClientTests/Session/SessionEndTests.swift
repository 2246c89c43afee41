import Client
import Domain
import HTTPTypes
import RPC
import Support
import Testing

/// The 401 and refresh rules over the whole chain (edge cases 1 to 16).
@Suite(.timeLimit(.minutes(1)))
struct SessionEndTests {
  @Test func answerOfAnEndedSessionIsVoid() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    let gate = Gate()
    harness.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in
      await gate.pass()
      return ScriptedBackend.json(ScriptedBackend.me)
    }
    async let call = harness.me()
    await gate.waitForArrivals(1)
    await harness.stack.auth.logout(.user)
    try await harness.signIn()
    gate.open()
    #expect(await call == .failure(.sessionEnded))
    #expect(await harness.session.state.user == nil)
  }

  @Test(arguments: [
    (BackendErrorCode.refreshTokenExpired, LogoutReason.refreshTokenExpired),
    (BackendErrorCode.deviceNotRegistered, .deviceNotRegistered),
  ])
  func refusalOfTheSessionEndsItWithoutARefresh(code: String, reason: LogoutReason) async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.on(AccountEndpoints.Me.path) { _ in ScriptedBackend.error(401, code) }
    #expect(await harness.me() == .failure(.sessionEnded))
    #expect(await harness.session.state.reason == reason.rawValue)
    #expect(harness.backend.refreshes == 0)
  }

  @Test func callWithoutAuthNeverRefreshes() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.on(AuthEndpoints.LoginWithCode.path) { _ in ScriptedBackend.error(401, BackendErrorCode.accessTokenExpired) }
    await #expect(throws: AuthError.loginCodeInvalid) { try await harness.signIn() }
    #expect(harness.backend.refreshes == 0)
    #expect(await harness.session.state.phase == .authenticated)
  }

  @Test func stormOfRefreshesIsStopped() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    // A backend that accepts each token from its second use on: every call costs a refresh, and none ends the session.
    let isReplay = LockedBox(false)
    harness.backend.on(AccountEndpoints.Me.path) { request throws(TransportError) in
      defer { isReplay.value.toggle() }
      return isReplay.value ? harness.backend.answer(request) : TransportResponse(status: 401)
    }
    for _ in 0..<5 { #expect((try? await harness.me().get()) != nil) }
    #expect(harness.backend.refreshes == 5)
    #expect(await harness.me() == .failure(.unauthorized))
    #expect(harness.backend.refreshes == 5)
    #expect(await harness.session.state.phase == .authenticated)
    isReplay.value = false
    harness.time.advance(by: .seconds(31))
    #expect((try? await harness.me().get()) != nil)
    #expect(harness.backend.refreshes == 6)
  }
}
