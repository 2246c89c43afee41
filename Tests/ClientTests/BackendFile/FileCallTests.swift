import Domain
import HTTPTypes
import Observability
import RPC
import Redaction
import Support
import Testing

@testable import Client

/// Calls of backends that files describe, through the whole client (contract 5.2).
struct FileCallTests {
  private typealias Answer = FileHarness.Answer

  private static let tokens = Answer(body: #"{"access_token":"access-one-1","refresh_token":"refresh-one-1","expires_in":36000}"#)
  private static let renewed = Answer(
    body: #"{"access_token":"access-two-2","refresh_token":"refresh-two-2","expires_in":36000}"#)
  private static let account = Answer(body: #"{"data":{"id":7,"attributes":{"email":"ada@example.com","full-name":"Ada"}}}"#)

  @Test func onlyWhatTheFileWritesIsSent() async throws {
    let harness = try FileHarness("django-oauth-toolkit", secrets: ["CLIENT_SECRET": "hush hush"], [Self.tokens, Self.account])
    try await harness.signIn()
    let account = try await harness.stack.account.fetchMe()
    #expect(account.user.userID == "7" && account.user.displayName == "Ada")
    #expect(
      harness.sent == [
        "POST https://backend.test/o/token/ [Content-Type: application/x-www-form-urlencoded, Authorization: Basic cGhvbmU6aHVzaCBodXNo, Accept: application/json] grant_type=password&username=ada%40example.com&password=correct+horse+9",
        "GET https://backend.test/api/user [Authorization: Bearer access-one-1, Accept: application/json] ",
      ])
  }

  @Test func noCredentialIsReadableInARow() async throws {
    let harness = try FileHarness("django-oauth-toolkit", secrets: ["CLIENT_SECRET": "hush hush"], [Self.tokens, Self.account])
    try await harness.signIn()
    _ = try await harness.stack.account.fetchMe()
    for secret in ["correct horse 9", "correct+horse+9", "hush hush", "cGhvbmU6aHVzaCBodXNo", "access-one-1", "refresh-one-1"] {
      #expect(!harness.shown.contains(secret), "\(secret)")
    }
    #expect(harness.rows.count == 2)
  }

  /// A short name cannot be searched for everywhere, but it is masked where it is a whole value.
  @Test func aShortNameIsMaskedWhereItIsAWholeValue() async throws {
    let harness = try FileHarness(
      text: """
        calls:
          login_with_password:
            request: POST /login
            json: {u: "{identifier}", p: "{password}"}
            capture: {tenant: /tenant}
          me: GET /users/{identifier}/of?name={identifier}&tenant={tenant}
        """,
      [
        Answer(body: #"{"token":"access-one-1","tenant":"blue7"}"#),
        Answer(body: #"{"id":"7","username":"ada","tenant":"blue7","note":"an armada of canada"}"#),
      ])
    let offer = try #require(harness.stack.offer as BackendOffer?)
    try await harness.stack.auth.redeemPassword(Identifier(typed: "ada", for: offer), "correct horse 9", [:])
    _ = try await harness.stack.account.fetchMe()
    #expect(harness.sent[1].hasPrefix("GET https://backend.test/users/ada/of?name=ada&tenant=blue7"))
    let row = try #require(harness.rows.last), detail = try #require(harness.log.detail(id: row.id))
    #expect(!row.path.contains("ada") && detail.query?.contains("ada") == false && detail.query?.contains("blue7") == false)
    let body = detail.response?.body ?? ""
    #expect(body.contains("an armada of canada") && !body.contains(#""ada""#) && !body.contains("blue7"), "\(body)")
  }

  @Test func eachRequestOfACallIsARowOfOneCall() async throws {
    let grant = Answer(
      status: 302, body: "", headers: [.location: "https://app.example/callback?code=grant-4711-secret&state=x"])
    let harness = try FileHarness("oidc", secrets: ["CLIENT_SECRET": "x"], [grant, Self.tokens])
    try await harness.signIn()
    let rows = harness.rows
    #expect(rows.map(\.status) == [302, 200] && rows.map(\.path) == ["/oauth2/authorize", "/oauth2/token"])
    #expect(Set(rows.map(\.callID)).count == 1 && rows.map(\.attempt) == [1, 1] && rows.allSatisfy { $0.state == .success })
    #expect(harness.sent[1].contains("code=grant-4711-secret"))
    #expect(!harness.shown.contains("grant-4711-secret"))
  }

  @Test func aFirstRequestThatFailsIsTheLast() async throws {
    let harness = try FileHarness("oidc", secrets: ["CLIENT_SECRET": "x"], [Answer(status: 400, body: #"{"error":"no"}"#)])
    await #expect(throws: AuthError.passwordInvalid) { try await harness.signIn() }
    #expect(harness.sent.count == 1)
  }

  @Test func aRuleRefreshesOnceAndTheCallIsSentAgain() async throws {
    let refused = Answer(status: 403, body: "")
    let harness = try FileHarness(
      "django-oauth-toolkit", secrets: ["CLIENT_SECRET": "x"], [Self.tokens, refused, Self.renewed, Self.account])
    try await harness.signIn()
    _ = try await harness.stack.account.fetchMe()
    #expect(harness.sent.count == 4 && harness.sent[2].contains("grant_type=refresh_token&refresh_token=refresh-one-1"))
    #expect(harness.sent[3].contains("Bearer access-two-2"))
    #expect(harness.rows[1].errorDetail?.contains("calls.me.errors.403 in line 14 of the backend file: expired") == true)
  }

  @Test func aRefusedRefreshEndsTheSession() async throws {
    let harness = try FileHarness(
      "django-oauth-toolkit", secrets: ["CLIENT_SECRET": "x"],
      [Self.tokens, Answer(status: 403, body: ""), Answer(status: 400, body: #"{"error":"invalid_grant"}"#)])
    try await harness.signIn()
    await #expect(throws: AccountError.sessionEnded) { try await harness.stack.account.fetchMe() }
    let state = await harness.stack.session.state
    #expect(state.phase == .signedOut && state.reason == "refresh_refused")
  }

  @Test func aReusedRefreshTokenEndsItWithItsReason() async throws {
    let login = Answer(
      body: #"{"response":{"user":{"authentication_token":"access-one-1"}}}"#,
      headers: [.setCookie: "fs_refresh=refresh-one-1; HttpOnly; Path=/"])
    let refused = Answer(
      status: 400, body: #"{"response":{"errors":["Refresh token is invalid (GEN_MISMATCH)"]}}"#)
    let harness = try FileHarness("flask-security-cookie", [login, Answer(status: 401), refused])
    try await harness.stack.auth.redeemCode(Identifier(normalizing: "ada@example.com"), "123456", [:])
    await #expect(throws: AccountError.sessionEnded) { try await harness.stack.account.fetchMe() }
    #expect(harness.sent[2].contains("Cookie: fs_refresh=refresh-one-1"))
    #expect(await harness.stack.session.state.reason == "refresh_token_reused")
    #expect(!harness.shown.contains("refresh-one-1"))
  }

  @Test func withoutARefreshTheFirstRefusalEndsTheSession() async throws {
    let harness = try FileHarness("fastapi-users", [Answer(body: #"{"access_token":"access-one-1"}"#), Answer(status: 401)])
    try await harness.signIn()
    #expect(await harness.stack.refresh() == .failed(.forbidden(code: nil)))
    await #expect(throws: AccountError.sessionEnded) { try await harness.stack.account.fetchMe() }
    #expect(harness.sent.count == 2)
    #expect(await harness.stack.session.state.reason == "session_ended")
  }

  @Test func withoutARefreshATokenIsSentAfterItsEnd() async throws {
    let harness = try FileHarness(
      "fastapi-users", [Answer(body: #"{"access_token":"access-one-1","expires_in":5}"#), Answer(body: #"{"id":"7"}"#)])
    try await harness.signIn()
    harness.time.advance(by: .seconds(60))
    #expect(try await harness.stack.account.fetchMe().user.userID == "7")
  }

  @Test func whatASignInCapturedIsSentLaterAndAfterARestart() async throws {
    let asked = Answer(status: 401, body: #"{"meta":{"session_token":"login-token-9"}}"#)
    let login = Answer(body: #"{"meta":{"access_token":"access-one-1","refresh_token":"refresh-one-1"}}"#)
    let harness = try FileHarness("allauth-jwt", [asked, login, Self.renewed, Answer(body: #"{"id":1}"#)])
    let identifier = try Identifier(normalizing: "ada@example.com")
    _ = try await harness.stack.auth.requestLoginCode(identifier, [:])
    try await harness.stack.auth.redeemCode(identifier, "KBQM-JXLT", [:])
    #expect(harness.sent[1].contains("X-Session-Token: login-token-9"))
    let again = harness.relaunched()
    await again.session.bootstrap()
    // The refresh of the launch is answered by other places than the file names.
    #expect(harness.sent[2].hasPrefix("POST https://backend.test/_allauth/app/v1/tokens/refresh"))
    #expect(!harness.shown.contains("login-token-9"))
  }

  private static let asked = Answer(status: 401, body: #"{"meta":{"session_token":"login-token-9"}}"#)
  private static let redeemed = Answer(body: #"{"meta":{"access_token":"access-one-1","refresh_token":"refresh-one-1"}}"#)

  @Test func anUnfinishedSignInOutlivesItsProcess() async throws {
    let harness = try FileHarness("allauth-jwt", [Self.asked, Self.redeemed])
    let identifier = try Identifier(normalizing: "ada@example.com")
    _ = try await harness.stack.auth.requestLoginCode(identifier, [:])
    try await harness.relaunched().auth.redeemCode(identifier, "KBQM-JXLT", [:])
    #expect(harness.sent[1].contains("X-Session-Token: login-token-9"))
    #expect(try harness.signIns.load() == nil, "nothing is left of it")
    #expect(!harness.shown.contains("login-token-9"))
  }

  /// The code is then as good as a wrong one, and the row says why.
  @Test(arguments: [601, 599])
  func anUnfinishedSignInIsKeptForAsLongAsItsCode(seconds: Int) async throws {
    let harness = try FileHarness("allauth-jwt", [Self.asked, Self.redeemed])
    let identifier = try Identifier(normalizing: "ada@example.com")
    _ = try await harness.stack.auth.requestLoginCode(identifier, [:])
    harness.time.advance(by: .seconds(seconds))
    let again = harness.relaunched()
    if seconds < 600 {
      try await again.auth.redeemCode(identifier, "KBQM-JXLT", [:])
      return
    }
    await #expect(throws: AuthError.loginCodeInvalid) { try await again.auth.redeemCode(identifier, "KBQM-JXLT", [:]) }
    #expect(harness.sent.count == 1, "nothing is sent without what belongs to it")
    let detail = try #require(harness.rows.last?.errorDetail)
    #expect(
      detail.hasSuffix("{login} has no value: the sign-in has not begun or is over, ask for a new code or link"), "\(detail)")
    #expect(try harness.signIns.load() == nil)
  }

  @Test func theLastAccountIsShownWhileTheBackendIsUnreachable() async throws {
    let harness = try FileHarness("django-oauth-toolkit", secrets: ["CLIENT_SECRET": "x"], [Self.tokens, Self.account])
    try await harness.signIn()
    let fetched = try await harness.stack.account.fetchMe()
    #expect(fetched.source == .network)
    harness.time.advance(by: .seconds(60))
    harness.set(offline: true)
    let kept = try await harness.stack.account.fetchMe()
    #expect(kept.source == .cache && kept.user == fetched.user && kept.syncedAt == fetched.syncedAt)
    let row = try #require(harness.rows.last)
    #expect(row.source == .cache && row.method == "GET" && row.path == "/api/user" && row.status == 200)
    #expect(!harness.shown.contains("ada@example.com"))
  }

  @Test func theKeptAccountEndsWithItsSession() async throws {
    let harness = try FileHarness("fastapi-users", [Self.tokens, Answer(body: #"{"id":"7"}"#), Answer(status: 204), Self.tokens])
    try await harness.signIn()
    _ = try await harness.stack.account.fetchMe()
    await harness.stack.auth.logout(.user)
    try await harness.signIn()
    harness.set(offline: true)
    await #expect(throws: AccountError.failed(.offline)) { try await harness.stack.account.fetchMe() }
  }

  @Test func anAccountThatMustNotBeStoredIsNotKept() async throws {
    let account = Answer(body: #"{"id":"7"}"#, headers: [.cacheControl: "no-store"])
    let harness = try FileHarness("fastapi-users", [Self.tokens, account])
    try await harness.signIn()
    _ = try await harness.stack.account.fetchMe()
    harness.set(offline: true)
    await #expect(throws: AccountError.failed(.offline)) { try await harness.stack.account.fetchMe() }
  }

  @Test func anAnswerWithoutATokenNamesThePlaceInTheFile() async throws {
    let harness = try FileHarness("simplejwt", [Answer(body: #"{"refresh":"refresh-one-1"}"#)])
    await #expect(throws: AuthError.failed(.unexpectedPayload)) { try await harness.signIn() }
    #expect(
      harness.rows[0].errorDetail
        == "simplejwt.yaml:6:15: calls.login_with_password.capture.access_token: the answer has no access_token")
    #expect(harness.rows[0].state == .failure)
  }

  @Test func aValueThatTheFlowLacksIsARowThatNamesThePlace() async throws {
    let harness = try FileHarness("cognito", secrets: ["CLIENT_ID": "client"], [])
    await #expect(throws: AuthError.failed(.unexpectedPayload)) {
      try await harness.stack.auth.requestLoginCode(Identifier(normalizing: "ada@example.com"), [:])
    }
    #expect(harness.sent.isEmpty)
    #expect(harness.rows[0].errorDetail?.hasSuffix("PASSWORD: {password} has no value") == true)
  }

  @Test func withoutMeTheAccountIsWhatTheSignInTold() async throws {
    let harness = try FileHarness(
      text: "calls:\n  login_with_password:\n    request: POST /login\n    json: {u: \"{identifier}\", p: \"{password}\"}\n",
      [Answer(body: #"{"token":"access-one-1","user_id":12,"email":"ada@example.com"}"#)])
    try await harness.signIn()
    let user = try await harness.stack.account.fetchMe().user
    #expect(user.userID == "12" && user.email == "ada@example.com")
    let again = harness.relaunched()
    await again.session.bootstrap()
    #expect(try await again.account.fetchMe().user.userID == "12")
    #expect(harness.sent.count == 1)
  }

  @Test func aCallThatTheFileLacksSendsNothing() async throws {
    let harness = try FileHarness("fastapi-users", [])
    await #expect(throws: NetworkError.forbidden(code: "feature_disabled")) {
      try await harness.stack.api.send(
        AuthEndpoints.RequestLoginCode(), body: LoginCodeRequest(identifier: "ada@example.com"))
    }
    #expect(harness.sent.isEmpty && harness.rows.isEmpty)
  }

  @Test(arguments: [("cognito", 1), ("fastapi-users", 3)])
  func onlySafeRequestsAreTriedAgain(file: String, attempts: Int) async throws {
    let login = Answer(
      body: #"{"access_token":"access-one-1","AuthenticationResult":{"AccessToken":"a-1","RefreshToken":"r-1"}}"#)
    let asked = file == "cognito" ? [Answer(body: #"{"Session":"session-of-the-login"}"#)] : []
    let harness = try FileHarness(
      file, secrets: ["CLIENT_ID": "client"], asked + [login] + Array(repeating: Answer(status: 503), count: 5))
    if file == "cognito" {
      let identifier = try Identifier(normalizing: "ada@example.com")
      _ = try await harness.stack.auth.requestLoginCode(identifier, ["password": "Correct-horse-9"])
      try await harness.stack.auth.redeemCode(identifier, "123456", [:])
    } else {
      try await harness.signIn()
    }
    await #expect(throws: (any Error).self) { try await harness.stack.account.fetchMe() }
    #expect(harness.sent.count == asked.count + 1 + attempts)
  }

  /// Without its key, the backend would carry out a request twice.
  @Test(arguments: [("headers: {Idempotency-Key: \"{idempotency_key}\"}", 3), ("headers: {X-Request: \"{request_id}\"}", 1)])
  func aChangeIsTriedAgainOnlyIfTheFileWritesItsKey(headers: String, attempts: Int) async throws {
    let harness = try FileHarness(
      text: """
        calls:
        \(Self.signIn)
          set_active_profile:
            request: POST /profile
            \(headers)
            json: {language: "{language_code}"}
        """, [Self.tokens] + Array(repeating: Answer(status: 503), count: 3))
    try await harness.signIn()
    harness.stack.api.features.change { $0.idempotencyKeys = true }
    await #expect(throws: (any Error).self) {
      try await harness.stack.account.setActiveProfile("account", "en")
    }
    #expect(harness.sent.count == 1 + attempts)
  }

  /// A token that is known to be refused is not sent again, whatever word the rule has for it.
  @Test(arguments: ["expired", "ErrAccessTokenExpired", "invalid_token"])
  func aTokenThatARuleRefusesIsNotSentAgain(word: String) async throws {
    let harness = try FileHarness(
      text: """
        calls:
        \(Self.signIn)
          refresh_tokens: {request: POST /refresh, json: {t: "{refresh_token}"}}
          me: {request: GET /me, errors: {403: \(word)}}
        """, [Self.tokens, Answer(status: 403)])
    try await harness.signIn()
    for _ in 1...2 { await #expect(throws: (any Error).self) { try await harness.stack.account.fetchMe() } }
    #expect(harness.sent.count { $0.hasPrefix("GET https://backend.test/me") } == 1)
  }

  @Test func logoutSendsTheTokensOfTheEndedSession() async throws {
    let harness = try FileHarness("flask-jwt-extended", [Self.tokens, Answer(), Answer()])
    try await harness.signIn()
    await harness.stack.auth.logout(.user)
    #expect(
      Array(harness.sent.dropFirst()) == [
        "DELETE https://backend.test/logout [Authorization: Bearer access-one-1, Accept: application/json] ",
        "DELETE https://backend.test/logout [Authorization: Bearer refresh-one-1, Accept: application/json] ",
      ])
  }

  @Test(arguments: [
    (FaultKind.expireAccessToken, 2, "authenticated"), (.revokeRefreshToken, 1, "signed_out"),
  ])
  func faultsActOnTheFilesCalls(kind: FaultKind, refusals: Int, phase: String) async throws {
    let harness = try FileHarness(
      "django-oauth-toolkit", secrets: ["CLIENT_SECRET": "x"], [Self.tokens, Self.renewed, Self.account])
    try await harness.signIn()
    harness.stack.faults.change { plan, moment in
      _ = plan.arm(FaultRule(name: "r", when: .init(count: 1), action: .init(kind)), id: "1", at: moment)
    }
    if kind == .expireAccessToken {
      _ = try await harness.stack.account.fetchMe()
      #expect(harness.sent.count == 3)
    } else {
      #expect(await harness.stack.refresh() == .ended)
    }
    #expect(await harness.stack.session.state.phase.rawValue == phase)
  }

  @Test func aComposedRequestHasTheFilesCredentials() async throws {
    let harness = try FileHarness("knox", [Answer(body: #"{"token":"access-one-1"}"#), Answer()])
    try await harness.signIn()
    let request = try ComposedRequest(
      method: "GET", path: "/anything", query: nil, body: nil, isAuthorized: true, isConfirmed: true,
      sessionPaths: harness.stack.sessionPaths)
    try await harness.stack.api.send(request) { _ in }
    #expect(harness.sent[1] == "GET https://backend.test/anything [Authorization: Token access-one-1, Accept: application/json] ")
    #expect(harness.stack.sessionPaths.all == ["/auth/login/", "/auth/logout/"])
    #expect(harness.stack.sessionPaths.contains("/auth//LOGIN") && !harness.stack.sessionPaths.contains("/users/"))
  }

  private static let signIn =
    "  login_with_password:\n    request: POST /login\n    json: {u: \"{identifier}\", p: \"{password}\"}\n"

  @Test(arguments: [(503, "unavailable"), (404, "not_found"), (409, "conflict")])
  func aCodeOfTheContractThatIsNotOfTheSessionEndsNone(status: Int, code: String) async throws {
    let harness = try FileHarness(
      text:
        "errors: {\(status): \(code)}\ncalls:\n\(Self.signIn)  refresh_tokens:\n    request: POST /refresh\n    json: {r: \"{refresh_token}\"}\n",
      [Self.tokens, Answer(status: status)])
    try await harness.signIn()
    _ = await harness.stack.refresh()
    #expect(await harness.stack.session.state.isSignedIn)
  }

  @Test(arguments: [("forbidden", AccountError.failed(.forbidden)), ("unavailable", .failed(.unavailable()))])
  func aRuleWithACodeMeansWhatTheCodeMeans(code: String, error: AccountError) async throws {
    let harness = try FileHarness(
      text: "calls:\n\(Self.signIn)  me: {request: POST /me, errors: {200 /ok=false: \(code)}}\n",
      [Self.tokens, Answer(body: #"{"ok":false}"#)])
    try await harness.signIn()
    await #expect(throws: error) { try await harness.stack.account.fetchMe() }
  }

  @Test func aComposedRequestKeepsTheSessionsTokenAndTheCommonHeaders() async throws {
    let harness = try FileHarness(
      text: "headers: {X-Device: \"{device_id}\"}\ncalls:\n\(Self.signIn)", [Self.tokens, Answer()])
    try await harness.signIn()
    let request = try ComposedRequest(
      method: "POST", path: "/introspect", query: "access_token=x", body: Array(#"{"access_token":"y"}"#.utf8),
      isAuthorized: true,
      isConfirmed: true, sessionPaths: harness.stack.sessionPaths)
    try await harness.stack.api.send(request) { _ in }
    #expect(harness.sent[1].contains("Authorization: Bearer access-one-1") && harness.sent[1].contains("X-Device: device"))
  }

  @Test func whatAnotherIdentifiersSignInCapturedIsNotSent() async throws {
    let asked = Answer(status: 401, body: #"{"meta":{"session_token":"login-token-9"}}"#)
    let harness = try FileHarness("allauth-jwt", [asked])
    _ = try await harness.stack.auth.requestLoginCode(Identifier(normalizing: "ada@example.com"), [:])
    let other = try Identifier(normalizing: "bob@example.com")
    for stack in [harness.stack, harness.relaunched()] {
      await #expect(throws: AuthError.loginCodeInvalid) { try await stack.auth.redeemCode(other, "123456", [:]) }
    }
    #expect(harness.sent.count == 1)
  }

  @Test func capturesOfAnUnusableAnswerAreMasked() async throws {
    let harness = try FileHarness(
      text: """
        calls:
          request_login_code:
            request: POST /code
            json: {u: "{identifier}"}
            capture: {flow: /flow_ref, step: /missing}
          login_with_code:
            request: POST /login
            json: {f: "{flow}", s: "{step}", c: "{code}"}
        """, [Answer(body: #"{"flow_ref":"flow-4711-secret"}"#)])
    await #expect(throws: AuthError.failed(.unexpectedPayload)) {
      try await harness.stack.auth.requestLoginCode(Identifier(normalizing: "ada@example.com"), [:])
    }
    #expect(!harness.shown.contains("flow-4711-secret"))
  }

  @Test func aHostOfItsOwnSaysNothingAboutTheBackend() async throws {
    let harness = try FileHarness(
      text: "calls:\n  login_with_password: {request: POST https://id.example/in, json: {p: \"{password}\"}}\n", [])
    await #expect(throws: AuthError.failed(.timeout)) { try await harness.signIn() }
    #expect(!harness.stack.connectivity.hasRecentFailure)
    #expect(harness.stack.isReserved(endpoint: "me", path: "/me", host: "id.example"))
    #expect(!harness.stack.isReserved(endpoint: "me", path: "/me", host: "backend.test"))
    #expect(harness.stack.isReserved(endpoint: "login_with_password", path: "/in", host: nil))
  }
}
