import Client
import Domain
import HTTPTypes
import RPC
import Support
import Testing

/// A backend that does not rotate refresh tokens (RFC 6749 §6).
@Suite(.timeLimit(.minutes(1))) struct KeptRefreshTokenTests {
  @Test func aRefreshWithoutANewRefreshTokenKeepsTheOldOne() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    let first = try #require(try harness.store.load())
    for number in 1...2 {
      harness.backend.script(
        AuthEndpoints.RefreshTokens.path,
        [.success(ScriptedBackend.text(200, #"{"access_token":"kept-\#(number)","expires_in":900}"#))])
      #expect(await harness.session.refresh() == .refreshed)
      let stored = try #require(try harness.store.load())
      #expect(stored.accessToken == "kept-\(number)" && stored.refreshToken == first.refreshToken)
      #expect(stored.refreshExpiresAt == first.refreshExpiresAt && stored.sessionID == first.sessionID)
    }
    #expect(await harness.session.state.phase == .authenticated)
  }
}
