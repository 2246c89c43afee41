import Client
import Domain
import HTTPTypes
import RPC
import Support
import Testing

/// The 401 and refresh rules over the whole chain (edge cases 1 to 16).
@Suite(.timeLimit(.minutes(1)))
struct RefreshTests {
  @Test func newCallsWaitForTheRefresh() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    let gate = harness.backend.gateRefreshes()
    harness.backend.expireAccessTokens()
    async let first = harness.me()
    await gate.waitForArrivals(1)
    #expect(await harness.session.state.phase == .refreshing)
    async let second = harness.me()
    await harness.waitForRefreshWaiters(2)
    gate.open()
    #expect((try? await first.get()) != nil)
    #expect((try? await second.get()) != nil)
    // The second call was never sent with the rejected token.
    #expect(
      harness.backend.requests(AccountEndpoints.Me.path).map { $0.headers[.authorization] } == [
        "Bearer access-1", "Bearer access-2", "Bearer access-2",
      ])
  }

  @Test func lostAnswerOfARefreshIsAskedForAgainAtOnce() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.expireAccessTokens()
    harness.backend.on(AuthEndpoints.RefreshTokens.path) { request throws(TransportError) in
      if harness.backend.refreshes == 1 { throw .connectionLost(mayHaveBeenProcessed: true) }
      return harness.backend.refresh(request)
    }
    #expect((try? await harness.me().get()) != nil)
    #expect(harness.backend.refreshes == 2)
    // Only once: a connection that stays broken is a transient failure.
    harness.backend.on(AuthEndpoints.RefreshTokens.path) { _ throws(TransportError) in
      throw .connectionLost(mayHaveBeenProcessed: true)
    }
    #expect(await harness.session.refresh() == .failed(.connectionLost(mayHaveBeenProcessed: true)))
    #expect(harness.backend.refreshes == 4)
    #expect(await harness.session.state.phase == .error)
  }
}
