import Client
import Domain
import GRDB
import RPC
import Support
import Testing

/// Tokens that may come from a copy of the data: the backend has the last word on them.
@Suite(.timeLimit(.minutes(1)))
struct UnprovenTokensTests {
  /// A bench whose kept tokens wait for their proof, and whose backend answers a refresh so.
  private func bench(_ outcome: Result<TransportResponse, TransportError>?) async throws -> ClientHarness {
    let bench = try ClientHarness()
    try await bench.signIn()
    try await bench.database.write { try SealedTokenStore.markUnproven($0) }
    if let outcome { bench.backend.script(AuthEndpoints.RefreshTokens.path, Array(repeating: outcome, count: 20)) }
    return bench
  }

  @Test func aRefreshProvesThem() async throws {
    let bench = try await bench(nil)
    #expect(try bench.store.load()?.isUnproven == true)
    let state = await bench.relaunched().session.bootstrap()
    #expect(state.phase == .authenticated)
    #expect(bench.backend.refreshes == 1)
    #expect(try bench.store.load()?.isUnproven == false)
  }

  @Test(arguments: [(400, "x"), (401, "x"), (403, "x"), (409, "x"), (401, BackendErrorCode.refreshTokenReused)])
  func anyRefusalEndsTheSession(status: Int, code: String) async throws {
    let bench = try await bench(.success(ScriptedBackend.error(status, code)))
    let state = await bench.relaunched().session.bootstrap()
    #expect(state.phase == .signedOut)
    #expect(
      state.reason == (code == "x" ? LogoutReason.invalidToken : LogoutReason.refreshTokenReused).rawValue)
    #expect(try bench.store.load() == nil)
  }

  @Test(arguments: [(404, "x"), (429, "x"), (500, "x"), (503, "x")])
  func whatIsNoRefusalKeepsThemUnproven(status: Int, code: String) async throws {
    let bench = try await bench(.success(ScriptedBackend.error(status, code)))
    let state = await bench.relaunched().session.bootstrap()
    #expect(state.phase == .error)
    #expect(try bench.store.load()?.isUnproven == true)
  }

  @Test func withoutTheBackendTheyAreKeptUntilItSpeaks() async throws {
    let bench = try await bench(.failure(.offline(kind: .cannotConnect)))
    let stack = bench.relaunched()
    #expect(await stack.session.bootstrap().phase == .error)
    try await stack.session.setPreferredLanguageCode("de")
    #expect(try bench.store.load()?.isUnproven == true, "a choice is no proof")
    bench.backend.script(AuthEndpoints.RefreshTokens.path, [.success(ScriptedBackend.error(403, "x"))])
    _ = await stack.session.refresh()
    #expect(await stack.session.state.phase == .signedOut)
  }

  @Test func tokensThatAreNoneOfACopyAreKept() async throws {
    let bench = try ClientHarness()
    try await bench.signIn()
    bench.backend.script(AuthEndpoints.RefreshTokens.path, [.success(ScriptedBackend.error(403, "x"))])
    #expect(await bench.relaunched().session.bootstrap().phase == .error)
    #expect(try bench.store.load() != nil)
  }
}
