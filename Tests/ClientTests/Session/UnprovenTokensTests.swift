import Client
import Domain
import GRDB
import RPC
import Support
import Testing

/// Tokens that may come from a copy of the data: the backend decides about them.
@Suite(.timeLimit(.minutes(1)))
struct UnprovenTokensTests {
  /// A harness with unproven stored tokens and a scripted response to their refresh.
  private func harness(_ outcome: Result<TransportResponse, TransportError>?) async throws -> ClientHarness {
    let harness = try ClientHarness()
    try await harness.signIn()
    try await harness.database.write { try SealedTokenStore.markUnproven($0) }
    if let outcome { harness.backend.script(AuthEndpoints.RefreshTokens.path, Array(repeating: outcome, count: 20)) }
    return harness
  }

  @Test func aRefreshProvesThem() async throws {
    let harness = try await harness(nil)
    #expect(try harness.store.load()?.isUnproven == true)
    let state = await harness.relaunched().session.bootstrap()
    #expect(state.phase == .authenticated)
    #expect(harness.backend.refreshes == 1)
    #expect(try harness.store.load()?.isUnproven == false)
  }

  @Test(arguments: [(400, "x"), (401, "x"), (403, "x"), (409, "x"), (401, BackendErrorCode.refreshTokenReused)])
  func anyRefusalEndsTheSession(status: Int, code: String) async throws {
    let harness = try await harness(.success(ScriptedBackend.error(status, code)))
    let state = await harness.relaunched().session.bootstrap()
    #expect(state.phase == .signedOut)
    #expect(
      state.reason == (code == "x" ? LogoutReason.invalidToken : LogoutReason.refreshTokenReused).rawValue)
    #expect(try harness.store.load() == nil)
  }

  @Test(arguments: [(404, "x"), (429, "x"), (500, "x"), (503, "x")])
  func whatIsNoRefusalKeepsThemUnproven(status: Int, code: String) async throws {
    let harness = try await harness(.success(ScriptedBackend.error(status, code)))
    let state = await harness.relaunched().session.bootstrap()
    #expect(state.phase == .error)
    #expect(try harness.store.load()?.isUnproven == true)
  }

  @Test func withoutTheBackendTheyAreKeptUntilItSpeaks() async throws {
    let harness = try await harness(.failure(.offline(kind: .cannotConnect)))
    let stack = harness.relaunched()
    #expect(await stack.session.bootstrap().phase == .error)
    try await stack.session.setPreferredLanguageCode("de")
    #expect(try harness.store.load()?.isUnproven == true, "choosing a language is no proof")
    harness.backend.script(AuthEndpoints.RefreshTokens.path, [.success(ScriptedBackend.error(403, "x"))])
    _ = await stack.session.refresh()
    #expect(await stack.session.state.phase == .signedOut)
  }

  @Test func tokensThatAreNoneOfACopyAreKept() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.script(AuthEndpoints.RefreshTokens.path, [.success(ScriptedBackend.error(403, "x"))])
    #expect(await harness.relaunched().session.bootstrap().phase == .error)
    #expect(try harness.store.load() != nil)
  }
}
