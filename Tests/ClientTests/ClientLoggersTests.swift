import Client
import Domain
import HTTPTypes
import Logging
import Observability
import RPC
import Support
import Locking
import Testing
import Vault

/// What the client logs in `network`, `session` and `auth`: always something, never a secret (seed-rules N-87 "never logged",
/// N-90 "Log categories").
@Suite(.timeLimit(.minutes(1)))
struct ClientLoggersTests {
  @Test func eachCategoryHasItsOwnLabel() {
    let loggers = ClientLoggers(base: CapturedLog().logger("understudy"))
    #expect(
      [loggers.network, loggers.session, loggers.auth].map(\.label) == ["network", "session", "auth"].map { "understudy.\($0)" })
    #expect(loggers.auth[metadataKey: "category"] == "auth")
  }

  @Test func aWholeLifeIsLoggedWithoutASecret() async throws {
    let log = CapturedLog()
    let harness = try ClientHarness(backoff: .none, logger: log.logger())
    // Sign-in by link and code, an expired token, an outage, a rejected refresh, and a backend that quotes the request.
    try await harness.stack.auth.redeemMagicToken("magic-token-Zx81", "state-Qp77", [:])
    harness.backend.expireAccessTokens()
    _ = await harness.me()
    try await harness.signIn()
    _ = try await harness.stack.auth.requestMagicLink(Identifier(normalizing: "other@example.org"), "state-Rr12", [:])
    try await harness.session.setPreferredLanguageCode("de")
    harness.backend.on(AccountEndpoints.Me.path) { request throws(TransportError) in
      ScriptedBackend.error(
        400, String((request.headers[.authorization] ?? "").dropFirst("Bearer ".count)).replacing("-", with: "_"))
    }
    _ = await harness.me()
    harness.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in throw .pinMismatch(presented: ["sha256/presented"])
    }
    _ = await harness.me()
    harness.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in throw .offline(kind: .cannotFindHost) }
    _ = await harness.me()
    harness.time.advance(by: .seconds(10))
    harness.backend.on(AuthEndpoints.LoginWithCode.path) { _ in ScriptedBackend.error(401, "login_code_invalid") }
    try? await harness.signIn()
    harness.backend.state.withLock { $0.validRefresh = [] }
    _ = await harness.session.refresh()
    await harness.stack.auth.logout(.user)

    let text = log.texts.joined(separator: "\n")
    for expected in [
      "category=network", "category=session", "category=auth", "endpoint=me", "status=401", "error=pin_mismatch",
      "sha256/presented", "unreachable", "reachable again", "reason=refresh_token_reused", "signed in", "sign-in failed",
      "signing out",
    ] {
      #expect(text.contains(expected), "\(expected)")
    }
    for secret in [
      "magic-token", "state-", "access-", "access_", "refresh-", "someone@", "other@", "123456", "signing-secret", "Bearer",
    ] {
      #expect(!text.contains(secret), "\(secret) in \(text)")
    }
  }

  @Test func metricsHearOfEveryAttemptInTheClientsOwnWords() async throws {
    let reports = LockedBox<[AttemptReport]>([])
    let harness = try ClientHarness(backoff: .none, onAttempt: { report in reports.value.append(report) })
    try await harness.signIn()
    let timings = NetworkTimings(dns: 1, wait: 2, total: 4)
    let answers = LockedBox<[Result<TransportResponse, TransportError>]>([
      .success(TransportResponse(status: 503, timings: timings)), .failure(.timedOut(.idle)),
      .success(ScriptedBackend.error(403, "token_abc")),
    ])
    harness.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in try answers.value.removeFirst().get() }
    _ = await harness.me()
    #expect(reports.value.map(\.endpoint) == ["login_with_code", "me", "me", "me"])
    #expect(reports.value.map(\.status) == [200, 503, nil, 403])
    #expect(reports.value.map(\.error) == [nil, "server_error", "timeout", "forbidden"])
    #expect(reports.value[1].timings == timings)
    #expect(reports.value.allSatisfy { $0.timings.total != nil })
  }
}
