import Client
import Domain
import HTTPTypes
import RPC
import Support
import Testing

/// The 401 and refresh machine over the whole chain: reference list of edge cases, 1 to 16.
@Suite(.timeLimit(.minutes(1)))
struct RefreshTests {
  @Test func newCallsWaitForTheRefresh() async throws {
    let bench = try ClientHarness()
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

  @Test func lostAnswerOfARefreshIsAskedForAgainAtOnce() async throws {
    let bench = try ClientHarness()
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
}
