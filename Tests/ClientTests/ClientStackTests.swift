import Client
import Domain
import FoundationEssentials
import HTTPTypes
import JSON
import Observability
import RPC
import Storage
import Support
import Locking
import Testing
import Redaction
import Text
import Vault

/// The stack as its owner uses it: login, restart, logout, gateways and the rows in the network log.
@Suite(.timeLimit(.minutes(1)))
struct ClientStackTests {
  @Test func loginKeepsTheTokens() async throws {
    let harness = try ClientHarness()
    #expect(await harness.session.bootstrap().phase == .signedOut)
    try await harness.signIn()
    let state = await harness.session.state
    #expect(state.phase == .authenticated)
    #expect(state.accessExpiresAt == harness.time.wall.addingTimeInterval(900))
    #expect(state.tokensIssuedAt == harness.time.wall)
    #expect(try harness.store.load()?.accessToken == "access-1")
  }

  @Test func restartRefreshesAndStaysSignedIn() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    let stack = harness.relaunched()
    let state = await stack.session.bootstrap()
    #expect(state.phase == .authenticated)
    #expect(harness.backend.refreshes == 1)
    #expect(try harness.store.load()?.refreshToken == "refresh-2")
    #expect(try await stack.account.fetchMe().user.userID == "u1")
    #expect(await stack.session.state.user?.userID == "u1")
  }

  @Test(arguments: [true, false])
  func restartWithoutTheBackendKeepsTheTokens(isExpired: Bool) async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    if isExpired { harness.time.advance(by: .seconds(1000)) }
    harness.backend.on(AuthEndpoints.RefreshTokens.path) { _ throws(TransportError) in throw .offline(kind: .cannotConnect) }
    let stack = harness.relaunched()
    let state = await stack.session.bootstrap()
    #expect(state.phase == .error)
    #expect(state.reason == "offline")
    #expect(try harness.store.load()?.refreshToken == "refresh-1")
    // A valid token is used anyway.
    let api = stack.api
    let result = await ClientHarness.result { () throws(NetworkError) in try await api.send(AccountEndpoints.Me()) }
    #expect(result == (isExpired ? .failure(.offline) : .success(ScriptedBackend.me)))
  }

  @Test func restartWithASpentTokenSignsOut() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.state.withLock { $0.validRefresh = [] }
    let state = await harness.relaunched().session.bootstrap()
    #expect(state.phase == .signedOut)
    #expect(state.reason == LogoutReason.refreshTokenReused.rawValue)
    #expect(try harness.store.load() == nil)
  }

  @Test func damagedVaultMeansSignedOut() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    try await harness.storage.write { try $0.run(script: "UPDATE client_token SET sealed = randomblob(300)") }
    let stack = harness.relaunched()
    let state = await stack.session.bootstrap()
    #expect(state.phase == .signedOut)
    #expect(state.reason == LogoutReason.vaultDamaged.rawValue)
    #expect(harness.backend.refreshes == 0)
    #expect(try harness.store.load() == nil)
  }

  @Test func loginThatCannotBeKeptIsNone() async throws {
    let harness = try ClientHarness()
    try await harness.storage.write { try $0.run(script: "DROP TABLE client_token") }
    await #expect(throws: AuthError.storageFull) { try await harness.signIn() }
    #expect(await harness.session.state.phase == .signedOut)
  }

  @Test func refreshedTokensThatCannotBeKeptAreUsed() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    try await harness.storage.write { try $0.run(script: "DROP TABLE client_token") }
    #expect(await harness.session.refresh() == .refreshed)
    #expect(await harness.session.state.reason == "storage_unavailable")
    #expect((try? await harness.me().get()) != nil)
  }

  @Test func tokensAreKeptBeforeAnybodyHearsOfThem() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    let session = harness.session
    var states = await session.states().makeAsyncIterator()
    #expect(await states.next()?.phase == .authenticated)
    async let outcome = session.refresh()
    #expect(await states.next()?.phase == .refreshing)
    #expect(await states.next()?.phase == .authenticated)
    #expect(try harness.store.load()?.refreshToken == "refresh-2")
    #expect(await outcome == .refreshed)
  }

  @Test func statesAreNumberedAndEndWithTheStack() async throws {
    let harness = try ClientHarness()
    let states = await harness.session.states()
    try await harness.signIn()
    await harness.stack.auth.logout(.user)
    await harness.stack.shutdown()
    var seen: [SessionState] = []
    for await state in states { seen.append(state) }
    #expect(seen.map(\.phase) == [.signedOut, .authenticated, .signedOut])
    #expect(seen.map(\.number) == [0, 1, 2])
    #expect(seen.last?.reason == "user")
    // Nothing is accepted after the end.
    await #expect(throws: AuthError.sessionEnded) { try await harness.signIn() }
    #expect(try harness.store.load() == nil)
  }

  @Test func shutdownDoesNotWaitForeverForARefresh() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    let gate = harness.backend.gateRefreshes()
    async let outcome = harness.session.refresh()
    await gate.waitForArrivals()
    async let end: Void = harness.stack.shutdown()
    await harness.time.waitForSleepers()
    harness.time.advance(by: .seconds(5))
    await end
    #expect(await outcome == .ended)
    #expect(await harness.me() == .failure(.unauthorized))
    gate.open()
    // The next launch finds what was stored.
    #expect(try harness.store.load()?.refreshToken == "refresh-1")
  }

  @Test func backendHearsOfALogoutWhereItCan() async throws {
    for isOffered in [true, false] {
      let harness = try ClientHarness()
      harness.backend.script(
        AppEndpoints.AppConfig.path, [.success(ScriptedBackend.json(ScriptedBackend.config(hasLogout: isOffered)))])
      _ = try await harness.stack.account.fetchAppConfig()
      try await harness.signIn()
      harness.backend.on(AuthEndpoints.Logout.path) { request throws(TransportError) in
        // The device has removed the tokens before the backend is notified.
        #expect((try? harness.store.load()) == .some(nil))
        throw .offline(kind: .notConnected)
      }
      await harness.stack.auth.logout(.user)
      let told = harness.backend.requests(AuthEndpoints.Logout.path)
      #expect(told.count == (isOffered ? 1 : 0))
      if let told = told.first {
        #expect(told.headers[.authorization] == "Bearer access-1")
        #expect(told.deadline <= harness.time.now + .seconds(3))
      }
      #expect(await harness.session.state.phase == .signedOut)
    }
  }

  @Test(
    arguments: [
      (.success(ScriptedBackend.error(401, "login_code_invalid")), .loginCodeInvalid),
      (.success(ScriptedBackend.error(401, "login_link_invalid")), .loginLinkInvalid),
      (.success(ScriptedBackend.error(400, "invalid_identifier")), .invalidIdentifier),
      (.success(ScriptedBackend.error(422, "invalid_identifier")), .invalidIdentifier),
      (.success(ScriptedBackend.error(404, "login_code_invalid")), .loginCodeInvalid),
      (
        .success(ScriptedBackend.error(429, "too_many_attempts", headers: [.retryAfter: "9"])),
        .tooManyAttempts(retryAfterSeconds: 9)
      ),
      (
        .success(ScriptedBackend.error(403, "too_many_attempts", headers: [.retryAfter: "9"])),
        .tooManyAttempts(retryAfterSeconds: 9)
      ),
      (
        .success(ScriptedBackend.text(400, #"{"code":"too_many_attempts","message":"","retry_after_seconds":8.2}"#)),
        .tooManyAttempts(retryAfterSeconds: 9)
      ),
      (.success(ScriptedBackend.text(400, #"{"error":"too_many_attempts"}"#)), .tooManyAttempts(retryAfterSeconds: nil)),
      (
        .success(ScriptedBackend.text(422, #"{"type":"https://backend.test/problems/invalid-identifier","title":"No"}"#)),
        .invalidIdentifier
      ),
      (.success(ScriptedBackend.error(500, "internal")), .failed(.backendError)),
      (.success(ScriptedBackend.error(503, "unavailable")), .failed(.unavailable())),
      (.success(TransportResponse(status: 200, body: Array("{}".utf8))), .failed(.unexpectedPayload)),
      (.success(TransportResponse(status: 302, headers: [.location: "https://elsewhere.test"])), .failed(.unexpectedPayload)),
      (.failure(.offline(kind: .cannotFindHost)), .failed(.offline)),
      (.failure(.timedOut(.connect)), .failed(.timeout)),
      (.failure(.pinMismatch(presented: [])), .failed(.pinMismatch)),
      (.failure(.tls("x")), .failed(.tlsFailed)),
    ] as [(Result<TransportResponse, TransportError>, AuthError)])
  func loginFailuresSpeakTheFeaturesLanguage(answer: Result<TransportResponse, TransportError>, expected: AuthError) async throws
  {
    let harness = try ClientHarness()
    harness.backend.on(AuthEndpoints.LoginWithCode.path) { _ throws(TransportError) in try answer.get() }
    await #expect(throws: expected) { try await harness.signIn() }
    #expect(harness.backend.requests(AuthEndpoints.LoginWithCode.path).count == 1)
    #expect(await harness.session.state.phase == .signedOut)
  }

  @Test func accountNeedsASession() async throws {
    let harness = try ClientHarness()
    await #expect(throws: AccountError.signedOut) { _ = try await harness.stack.account.fetchMe() }
    #expect(harness.backend.requests(AccountEndpoints.Me.path).isEmpty)
    #expect(harness.log.rows().events.isEmpty)
  }

  @Test func everyCallCarriesItsHeaders() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    _ = await harness.me()
    for request in harness.backend.requests(AccountEndpoints.Me.path) + harness.backend.requests(AuthEndpoints.LoginWithCode.path)
    {
      for name in ["X-Request-ID", "X-Device-ID", "X-Api-Id", "X-Nonce", "X-Signature", "User-Agent", "Accept"] {
        #expect(try request.headers[#require(HTTPField.Name(name))] != nil, "\(name)")
      }
      #expect(request.url.hasPrefix("https://backend.test:8443/rpc/"))
    }
    #expect(harness.backend.requests(AuthEndpoints.LoginWithCode.path).first?.headers[.authorization] == nil)
  }

  @Test func everyRequestIsSignedBesidesItsToken() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.expireAccessTokens()
    _ = await harness.me()
    let paths = [AuthEndpoints.LoginWithCode.path, AuthEndpoints.RefreshTokens.path, AccountEndpoints.Me.path]
    let requests = paths.map { harness.backend.requests($0) }
    #expect(requests.map(\.count) == [1, 1, 2])
    for (path, requests) in zip(paths, requests) {
      for request in requests {
        let nonce = try #require(request.headers[.nonce])
        let text = Array("app\(request.method.rawValue)\(path)".utf8) + (request.body ?? []) + Array(nonce.utf8)
        #expect(
          request.headers[.signature] == Hex.encode(HMAC.sha256(text, key: Array("signing-secret".utf8))), "\(path)")
        #expect((request.headers[.authorization] != nil) == (path == AccountEndpoints.Me.path), "\(path)")
      }
    }
  }

  @Test func rowsTellWhatCausedWhat() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.expireAccessTokens()
    harness.log.clear()
    let flow = Flow(name: "account")
    _ = await Flow.$current.withValue(flow) { await harness.me() }
    let rows = harness.log.rows().events
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
    let harness = try ClientHarness()
    @Sendable func knows(_ text: String) -> Bool { harness.secrets.contains(secretIn: Array("<\(text)>".utf8)) }
    harness.backend.on(AuthEndpoints.LoginWithCode.path) { request throws(TransportError) in
      #expect(knows("someone@example.org") && knows("123456"))
      return harness.backend.answer(request)
    }
    #expect(knows("signing-secret") && !knows("access-1"))
    try await harness.signIn()
    #expect(knows("access-1") && knows("refresh-1"))
    harness.backend.on(AccountEndpoints.Me.path) { _ in ScriptedBackend.json(["phone": "+4915112345678"]) }
    _ = await harness.me()
    #expect(knows("+4915112345678"))
  }

  @Test func noSecretReachesTheLog() async throws {
    let harness = try ClientHarness()
    let token = "magic-token-Zx81"
    try await harness.stack.auth.redeemMagicToken(token, "state-Qp77", [:])
    harness.backend.expireAccessTokens()
    _ = try await harness.stack.account.fetchMe()
    try await harness.signIn()
    _ = try await harness.stack.auth.requestMagicLink(Identifier(normalizing: "other@example.org"), "state-Rr12", [:])
    let rows = harness.log.rows().events
    #expect(rows.count == 6)
    for row in rows {
      let detail = try JSONCoding.encode(#require(harness.log.detail(id: row.id)))
      let text = String(decoding: detail, as: UTF8.self)
      for secret in [
        token, "state-Qp77", "state-Rr12", "access-", "refresh-1", "refresh-2", "someone@", "other@", "123456", "signing-secret",
      ] {
        #expect(!text.contains(secret), "\(secret) in \(text)")
      }
    }
  }
}
