import Client
import Domain
import FoundationEssentials
import GRDB
import HTTPTypes
import JSON
import Observability
import RPC
import Support
import Locking
import Testing

/// The stack as its owner uses it: login, restart, logout, gateways and the rows in the network log.
@Suite(.timeLimit(.minutes(1)))
struct ClientStackTests {
  @Test func loginKeepsTheTokens() async throws {
    let bench = try ClientHarness()
    #expect(await bench.session.bootstrap().phase == .signedOut)
    try await bench.signIn()
    let state = await bench.session.state
    #expect(state.phase == .authenticated)
    #expect(state.accessExpiresAt == bench.time.wall.addingTimeInterval(900))
    #expect(state.tokensIssuedAt == bench.time.wall)
    #expect(try bench.store.load()?.accessToken == "access-1")
  }

  @Test func restartRefreshesAndStaysSignedIn() async throws {
    let bench = try ClientHarness()
    try await bench.signIn()
    let stack = bench.relaunched()
    let state = await stack.session.bootstrap()
    #expect(state.phase == .authenticated)
    #expect(bench.backend.refreshes == 1)
    #expect(try bench.store.load()?.refreshToken == "refresh-2")
    #expect(try await stack.account.fetchMe().user.userID == "u1")
    #expect(await stack.session.state.user?.userID == "u1")
  }

  @Test(arguments: [true, false])
  func restartWithoutTheBackendKeepsTheTokens(isExpired: Bool) async throws {
    let bench = try ClientHarness()
    try await bench.signIn()
    if isExpired { bench.time.advance(by: .seconds(1000)) }
    bench.backend.on(AuthEndpoints.RefreshTokens.path) { _ throws(TransportError) in throw .offline(kind: .cannotConnect) }
    let stack = bench.relaunched()
    let state = await stack.session.bootstrap()
    #expect(state.phase == .error)
    #expect(state.reason == "offline")
    #expect(try bench.store.load()?.refreshToken == "refresh-1")
    // A token inside its lifetime is used all the same.
    let api = stack.api
    let result = await ClientHarness.result { () throws(NetworkError) in try await api.send(AccountEndpoints.Me()) }
    #expect(result == (isExpired ? .failure(.offline) : .success(ScriptedBackend.me)))
  }

  @Test func restartWithASpentTokenSignsOut() async throws {
    let bench = try ClientHarness()
    try await bench.signIn()
    bench.backend.state.withLock { $0.validRefresh = [] }
    let state = await bench.relaunched().session.bootstrap()
    #expect(state.phase == .signedOut)
    #expect(state.reason == LogoutReason.refreshTokenReused.rawValue)
    #expect(try bench.store.load() == nil)
  }

  @Test func damagedVaultMeansSignedOut() async throws {
    let bench = try ClientHarness()
    try await bench.signIn()
    try await bench.database.write { try $0.execute(sql: "UPDATE client_token SET sealed = randomblob(300)") }
    let stack = bench.relaunched()
    let state = await stack.session.bootstrap()
    #expect(state.phase == .signedOut)
    #expect(state.reason == LogoutReason.vaultDamaged.rawValue)
    #expect(bench.backend.refreshes == 0)
    #expect(try bench.store.load() == nil)
  }

  @Test func loginThatCannotBeKeptIsNone() async throws {
    let bench = try ClientHarness()
    try await bench.database.write { try $0.execute(sql: "DROP TABLE client_token") }
    await #expect(throws: AuthError.storageFull) { try await bench.signIn() }
    #expect(await bench.session.state.phase == .signedOut)
  }

  @Test func refreshedTokensThatCannotBeKeptAreUsed() async throws {
    let bench = try ClientHarness()
    try await bench.signIn()
    try await bench.database.write { try $0.execute(sql: "DROP TABLE client_token") }
    #expect(await bench.session.refresh() == .refreshed)
    #expect(await bench.session.state.reason == "storage_unavailable")
    #expect((try? await bench.me().get()) != nil)
  }

  @Test func tokensAreKeptBeforeAnybodyHearsOfThem() async throws {
    let bench = try ClientHarness()
    try await bench.signIn()
    let session = bench.session
    var states = await session.states().makeAsyncIterator()
    #expect(await states.next()?.phase == .authenticated)
    async let outcome = session.refresh()
    #expect(await states.next()?.phase == .refreshing)
    #expect(await states.next()?.phase == .authenticated)
    #expect(try bench.store.load()?.refreshToken == "refresh-2")
    #expect(await outcome == .refreshed)
  }

  @Test func statesAreNumberedAndEndWithTheStack() async throws {
    let bench = try ClientHarness()
    let states = await bench.session.states()
    try await bench.signIn()
    await bench.stack.auth.logout(.user)
    await bench.stack.shutdown()
    var seen: [SessionState] = []
    for await state in states { seen.append(state) }
    #expect(seen.map(\.phase) == [.signedOut, .authenticated, .signedOut])
    #expect(seen.map(\.number) == [0, 1, 2])
    #expect(seen.last?.reason == "user")
    // Nothing is taken after the end.
    await #expect(throws: AuthError.sessionEnded) { try await bench.signIn() }
    #expect(try bench.store.load() == nil)
  }

  @Test func shutdownDoesNotWaitForeverForARefresh() async throws {
    let bench = try ClientHarness()
    try await bench.signIn()
    let gate = Gate()
    bench.backend.on(AuthEndpoints.RefreshTokens.path) { request throws(TransportError) in
      await gate.pass()
      return bench.backend.refresh(request)
    }
    async let outcome = bench.session.refresh()
    await gate.waitForArrivals()
    async let end: Void = bench.stack.shutdown()
    await bench.time.waitForSleepers()
    bench.time.advance(by: .seconds(5))
    await end
    #expect(await outcome == .ended)
    #expect(await bench.me() == .failure(.unauthorized))
    gate.open()
    // The next launch finds what was kept.
    #expect(try bench.store.load()?.refreshToken == "refresh-1")
  }

  @Test func backendHearsOfALogoutWhereItCan() async throws {
    for isOffered in [true, false] {
      let bench = try ClientHarness()
      var config = AppConfig()
      config.features.logoutEndpoint = isOffered
      await bench.stack.apply(config)
      try await bench.signIn()
      bench.backend.on(AuthEndpoints.Logout.path) { request throws(TransportError) in
        // The device has forgotten the tokens before the backend hears of it.
        #expect((try? bench.store.load()) == .some(nil))
        throw .offline(kind: .notConnected)
      }
      await bench.stack.auth.logout(.user)
      let told = bench.backend.requests(AuthEndpoints.Logout.path)
      #expect(told.count == (isOffered ? 1 : 0))
      if let told = told.first {
        #expect(told.headers[.authorization] == "Bearer access-1")
        #expect(told.deadline <= bench.time.now + .seconds(3))
      }
      #expect(await bench.session.state.phase == .signedOut)
    }
  }

  @Test(
    arguments: [
      (.success(ScriptedBackend.error(401, "login_code_invalid")), .loginCodeInvalid),
      (.success(ScriptedBackend.error(401, "login_link_invalid")), .loginLinkInvalid),
      (.success(ScriptedBackend.error(400, "invalid_identifier")), .invalidIdentifier),
      (
        .success(ScriptedBackend.error(429, "too_many_attempts", headers: [.retryAfter: "9"])),
        .tooManyAttempts(retryAfterSeconds: 9)
      ),
      (.success(ScriptedBackend.error(500, "internal")), .failed(.backendError)),
      (.success(ScriptedBackend.error(503, "unavailable")), .failed(.unavailable)),
      (.success(TransportResponse(status: 200, body: Array("{}".utf8))), .failed(.unexpectedPayload)),
      (.success(TransportResponse(status: 302, headers: [.location: "https://elsewhere.test"])), .failed(.unexpectedPayload)),
      (.failure(.offline(kind: .cannotFindHost)), .failed(.offline)),
      (.failure(.timedOut(.connect)), .failed(.timeout)),
      (.failure(.pinMismatch(presented: [])), .failed(.pinMismatch)),
      (.failure(.tls("x")), .failed(.tlsFailed)),
    ] as [(Result<TransportResponse, TransportError>, AuthError)])
  func loginFailuresSpeakTheFeaturesLanguage(answer: Result<TransportResponse, TransportError>, expected: AuthError) async throws
  {
    let bench = try ClientHarness()
    bench.backend.on(AuthEndpoints.LoginWithCode.path) { _ throws(TransportError) in try answer.get() }
    await #expect(throws: expected) { try await bench.signIn() }
    #expect(bench.backend.requests(AuthEndpoints.LoginWithCode.path).count == 1)
    #expect(await bench.session.state.phase == .signedOut)
  }

  @Test func accountNeedsASession() async throws {
    let bench = try ClientHarness()
    await #expect(throws: AccountError.signedOut) { _ = try await bench.stack.account.fetchMe() }
    #expect(bench.backend.requests(AccountEndpoints.Me.path).isEmpty)
    #expect(bench.log.rows().events.isEmpty)
  }

  @Test func everyCallCarriesItsHeaders() async throws {
    let bench = try ClientHarness()
    try await bench.signIn()
    _ = await bench.me()
    for request in bench.backend.requests(AccountEndpoints.Me.path) + bench.backend.requests(AuthEndpoints.LoginWithCode.path) {
      for name in ["X-Request-ID", "X-Device-ID", "X-Api-Id", "X-Nonce", "X-Signature", "User-Agent", "Accept"] {
        #expect(try request.headers[#require(HTTPField.Name(name))] != nil, "\(name)")
      }
      #expect(request.url.hasPrefix("https://backend.test:8443/rpc/"))
    }
    #expect(bench.backend.requests(AuthEndpoints.LoginWithCode.path).first?.headers[.authorization] == nil)
  }

  @Test func rowsTellWhatCausedWhat() async throws {
    let bench = try ClientHarness()
    try await bench.signIn()
    bench.backend.expireAccessTokens()
    bench.log.clear()
    let flow = Flow(name: "account")
    _ = await Flow.$current.withValue(flow) { await bench.me() }
    let rows = bench.log.rows().events
    #expect(rows.map(\.endpoint) == ["me", "refresh_tokens", "me"])
    #expect(rows.map(\.status) == [401, 200, 200])
    #expect(rows.map(\.state) == [.failure, .success, .success])
    #expect(rows.map(\.error) == ["ErrAccessTokenExpired", nil, nil])
    #expect(rows.map(\.attempt) == [1, 1, 2])
    #expect(rows.allSatisfy { $0.flowID == flow.id && $0.flow == "account" })
    #expect(rows[0].callID == rows[2].callID)
    #expect(rows[0].callID != rows[1].callID)
    #expect(rows.map(\.parentID) == [nil, rows[0].id, rows[0].id])
  }

  @Test func secretsAreKnownAsSoonAsTheyAreLearned() async throws {
    let bench = try ClientHarness()
    @Sendable func knows(_ text: String) -> Bool { bench.secrets.contains(secretIn: Array("<\(text)>".utf8)) }
    bench.backend.on(AuthEndpoints.LoginWithCode.path) { request throws(TransportError) in
      #expect(knows("someone@example.org") && knows("123456"))
      return bench.backend.answer(request)
    }
    #expect(knows("signing-secret") && !knows("access-1"))
    try await bench.signIn()
    #expect(knows("access-1") && knows("refresh-1"))
    bench.backend.on(AccountEndpoints.Me.path) { _ in ScriptedBackend.json(["phone": "+4915112345678"]) }
    _ = await bench.me()
    #expect(knows("+4915112345678"))
  }

  @Test func noSecretReachesTheLog() async throws {
    let bench = try ClientHarness()
    let token = "magic-token-Zx81"
    try await bench.stack.auth.redeemMagicToken(token, "state-Qp77")
    bench.backend.expireAccessTokens()
    _ = try await bench.stack.account.fetchMe()
    try await bench.signIn()
    _ = try await bench.stack.auth.requestMagicLink(Identifier(normalizing: "other@example.org"), "state-Rr12")
    let rows = bench.log.rows().events
    #expect(rows.count == 6)
    for row in rows {
      let detail = try JSONCoding.encode(#require(bench.log.detail(id: row.id)))
      let text = String(decoding: detail, as: UTF8.self)
      for secret in [
        token, "state-Qp77", "state-Rr12", "access-", "refresh-1", "refresh-2", "someone@", "other@", "123456", "signing-secret",
      ] {
        #expect(!text.contains(secret), "\(secret) in \(text)")
      }
    }
  }
}
