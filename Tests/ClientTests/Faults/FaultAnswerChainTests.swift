import Domain
import FoundationEssentials
import HTTPTypes
import Observability
import RPC
import Support
import Testing

@testable import Client
import Redaction

/// Answers of the user's own under the real chain: the client reads them as it reads the backend's.
@Suite(.timeLimit(.minutes(1))) struct FaultAnswerChainTests {
  private static let me = AccountEndpoints.Me.path

  private func rule(
    _ status: Int, _ body: String? = nil, on path: String = me, headers: [FaultRule.Action.Header] = [], count: Int? = nil,
    latency: Int? = nil
  ) -> FaultRule {
    FaultRule(
      name: "r", match: .init(path: FaultText(path)), when: .init(count: count),
      action: .init(
        .answer, status: status, latencyMilliseconds: latency, headers: headers, body: body.map { FaultText($0) }))
  }

  private func header(_ name: HTTPField.Name, _ value: String) -> FaultRule.Action.Header {
    .init(name: name.rawName, value: FaultText(value))
  }

  /// A signed-in client with a rule.
  private func harness(_ rules: FaultRule...) async throws -> ClientHarness {
    let harness = try ClientHarness(backoff: .none)
    try await harness.signIn()
    FaultChainTests.arm(harness, rules)
    return harness
  }

  private func rows(_ harness: ClientHarness, _ endpoint: String = "me") -> [NetworkRow] {
    harness.log.rows().events.filter { $0.endpoint == endpoint }
  }

  @Test func theClientReadsTheAnswerAndItsRowSaysWhoAnswered() async throws {
    let body = #"{"user_id":"u9","account_id":"a9","created_at":"2023-11-14T22:13:20.000Z"}"#
    let harness = try await harness(rule(200, body, headers: [header(.allow, "GET")]))
    #expect(try await harness.me().get().userID == "u9")
    #expect(harness.backend.requests(Self.me).isEmpty, "nothing was sent")
    let row = try #require(rows(harness).first)
    #expect(row.source == .fault && row.faultID == "answer" && row.status == 200 && row.state == .success)
    let detail = try #require(harness.log.detail(id: row.id))
    let headers = try #require(detail.response?.headers)
    #expect(headers.contains { $0.name == "Allow" && $0.value == "GET" })
    #expect(detail.response?.body?.contains("a9") == true)
  }

  @Test func anExpiredAccessTokenIsRefreshedAndTheCallReplayed() async throws {
    let harness = try await harness(
      rule(401, #"{"error":{"code":"ErrAccessTokenExpired","message":"","request_id":null}}"#, count: 1))
    #expect((try? await harness.me().get()) != nil)
    #expect(harness.backend.refreshes == 1 && harness.backend.requests(Self.me).count == 1)
    #expect(rows(harness).map(\.status) == [401, 200] && rows(harness).map(\.source) == [.fault, .network])
    #expect(rows(harness).map(\.error) == ["ErrAccessTokenExpired", nil])
  }

  @Test func aPassingFailureIsRetried() async throws {
    let harness = try await harness(rule(503, #"{"error":{"code":"unavailable"}}"#, count: 2))
    #expect((try? await harness.me().get()) != nil)
    #expect(rows(harness).map(\.status) == [503, 503, 200] && rows(harness).map(\.attempt) == [1, 2, 3])
  }

  @Test func aWaitInTheHeadersIsWaitedOut() async throws {
    let harness = try await harness(rule(429, "{}", headers: [header(.retryAfter, "2")], count: 1))
    async let call = harness.me()
    await harness.time.waitForSleepers()
    #expect(harness.time.untilNext == .seconds(2) && harness.time.sleeperCount == 1)
    #expect(rows(harness).count == 1)
    harness.time.advance(by: .seconds(2))
    #expect((try? await call.get()) != nil)
  }

  @Test(arguments: [#"{"user_id":"#, "<html>", #"{"email":"no-id@example.com"}"#, "[]"])
  func whatCannotBeReadIsAnUnexpectedPayload(body: String) async throws {
    let harness = try await harness(rule(200, body))
    #expect(await harness.me().error?.word == "unexpected_payload")
    #expect(rows(harness).last?.source == .fault && rows(harness).last?.status == 200)
  }

  @Test func anAnswerOnTheRefreshCallDecidesOverTheSession() async throws {
    let refused = try await harness(
      rule(401, #"{"error":{"code":"ErrRefreshTokenExpired"}}"#, on: AuthEndpoints.RefreshTokens.path))
    refused.backend.expireAccessTokens()
    #expect(await refused.me() == .failure(.sessionEnded))
    #expect(await refused.session.state.reason == LogoutReason.refreshTokenExpired.rawValue)
    #expect(refused.backend.refreshes == 0)
    let tokens =
      #"{"access_token":"made-up-access","refresh_token":"made-up-refresh","token_type":"Bearer","expires_in":900,"#
      + #""expires_at":"2030-01-01T00:00:00.000Z","refresh_expires_in":9000,"refresh_expires_at":"2030-01-01T00:00:00.000Z","#
      + #""session_id":"s"}"#
    let granted = try await harness(rule(200, tokens, on: AuthEndpoints.RefreshTokens.path, count: 1))
    _ = await granted.session.refresh()
    _ = await granted.me()
    #expect(granted.backend.requests(Self.me).first?.headers[.authorization] == "Bearer made-up-access")
    #expect(rows(granted, "refresh_tokens").first?.source == .fault)
  }

  @Test func aSignInIsAnsweredToo() async throws {
    let harness = try ClientHarness()
    FaultChainTests.arm(
      harness, [rule(401, #"{"error":{"code":"login_code_invalid"}}"#, on: AuthEndpoints.LoginWithCode.path, count: 1)])
    await #expect(throws: AuthError.self) { try await harness.signIn() }
    #expect(harness.backend.requests(AuthEndpoints.LoginWithCode.path).isEmpty)
    try await harness.signIn()
    #expect(await harness.session.state.phase == .authenticated)
  }

  @Test func secretsInAnAnswerAreLearnedBeforeItsRowIsMade() async throws {
    let harness = try await harness(rule(200, #"{"email":"typed@example.org","access_token":"typed-token-0001"}"#))
    _ = await harness.me()
    let row = try #require(rows(harness).last)
    let body = try #require(harness.log.detail(id: row.id)?.response?.body)
    #expect(body.contains("‹email:") && body.contains("‹token:"))
    #expect(!body.contains("typed"))
    #expect(harness.secrets.contains(secretIn: Array("typed-token-0001".utf8)))
  }

  @Test func aDelayIsAddedToTheAnswer() async throws {
    let harness = try await harness(rule(404, latency: 700))
    async let call = harness.me()
    await harness.time.waitForSleepers()
    #expect(rows(harness).last?.state == .pending)
    harness.time.advance(by: .milliseconds(700))
    #expect(await call == .failure(.notFound(code: nil)))
    #expect(rows(harness).last?.durationMilliseconds == 700)
  }

  @Test func anAnswerIsNeverKeptAndAKeptOneNeverHidesTheRule() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.on(Self.me) { request throws(TransportError) in
      let fields: HTTPFields = [.eTag: #""1""#, .cacheControl: "private, max-age=600"]
      if request.headers[.ifNoneMatch] == #""1""# { return TransportResponse(status: 304, headers: fields) }
      return ScriptedBackend.json(ScriptedBackend.me, headers: fields)
    }
    #expect(await harness.me() == .success(ScriptedBackend.me))
    #expect(await harness.me() == .success(ScriptedBackend.me))
    #expect(harness.backend.requests(Self.me).count == 1, "the second one came from the cache")
    // The same validator and a long life: if it were kept, it would be served for the backend's.
    let body = #"{"user_id":"made-up","account_id":"a9","created_at":"2023-11-14T22:13:20.000Z"}"#
    let fields = [header(.eTag, #""1""#), header(.cacheControl, "private, max-age=9999")]
    FaultChainTests.arm(harness, [rule(200, body, headers: fields)])
    #expect(try await harness.me().get().userID == "made-up", "the rule acts although a fresh answer is kept")
    harness.stack.faults.change { plan, _ in plan.removeAll() }
    #expect(await harness.me() == .success(ScriptedBackend.me))
  }
}
