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

/// What the client writes to its loggers `network`, `session` and `auth`: always something, never a secret (seed 000 §7).
@Suite(.timeLimit(.minutes(1)))
struct ClientLoggersTests {
  /// Keeps every line, with its metadata, at every level.
  private struct CapturingHandler: LogHandler {
    let lines: LockedBox<[String]>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let all = metadata.merging(event.metadata ?? [:]) { $1 }
      let text = all.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
      lines.value.append("\(event.level) \(text) \(event.message)")
    }
  }

  @Test func eachCategoryHasItsOwnLabel() {
    let loggers = ClientLoggers(base: Logger(label: "understudy") { _ in CapturingHandler(lines: LockedBox([])) })
    #expect(
      [loggers.network, loggers.session, loggers.auth].map(\.label) == ["network", "session", "auth"].map { "understudy.\($0)" })
    #expect(loggers.auth[metadataKey: "category"] == "auth")
  }

  @Test func aWholeLifeIsLoggedWithoutASecret() async throws {
    let lines = LockedBox<[String]>([])
    let bench = try ClientHarness(random: { 0 }, logger: Logger(label: "test") { _ in CapturingHandler(lines: lines) })
    // Sign-in by link and code, an expired token, an outage, a refused refresh, and a backend that quotes what it was sent.
    try await bench.stack.auth.redeemMagicToken("magic-token-Zx81", "state-Qp77")
    bench.backend.expireAccessTokens()
    _ = await bench.me()
    try await bench.signIn()
    _ = try await bench.stack.auth.requestMagicLink(Identifier(normalizing: "other@example.org"), "state-Rr12")
    try await bench.session.setPreferredLanguageCode("de")
    bench.backend.on(AccountEndpoints.Me.path) { request throws(TransportError) in
      ScriptedBackend.error(
        400, String((request.headers[.authorization] ?? "").dropFirst("Bearer ".count)).replacing("-", with: "_"))
    }
    _ = await bench.me()
    bench.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in throw .pinMismatch(presented: ["sha256/presented"]) }
    _ = await bench.me()
    bench.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in throw .offline(kind: .cannotFindHost) }
    _ = await bench.me()
    bench.time.advance(by: .seconds(10))
    bench.backend.on(AuthEndpoints.LoginWithCode.path) { _ in ScriptedBackend.error(401, "login_code_invalid") }
    try? await bench.signIn()
    bench.backend.state.withLock { $0.validRefresh = [] }
    _ = await bench.session.refresh()
    await bench.stack.auth.logout(.user)

    let text = lines.value.joined(separator: "\n")
    for expected in [
      "category=network", "category=session", "category=auth", "endpoint=me", "status=401", "error=pin_mismatch",
      "sha256/presented", "out of reach", "in reach again", "reason=refresh_token_reused", "signed in", "sign-in failed",
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
    let bench = try ClientHarness(random: { 0 }, onAttempt: { report in reports.value.append(report) })
    try await bench.signIn()
    let timings = TransportTimings(dns: .milliseconds(1), wait: .milliseconds(2), total: .milliseconds(4))
    let answers = LockedBox<[Result<TransportResponse, TransportError>]>([
      .success(TransportResponse(status: 503, timings: timings)), .failure(.timedOut(.idle)),
      .success(ScriptedBackend.error(403, "token_abc")),
    ])
    bench.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in try answers.value.removeFirst().get() }
    _ = await bench.me()
    #expect(reports.value.map(\.endpoint) == ["login_with_code", "me", "me", "me"])
    #expect(reports.value.map(\.attempt) == [1, 1, 2, 3])
    #expect(reports.value.map(\.status) == [200, 503, nil, 403])
    #expect(reports.value.map(\.error) == [nil, "server_error", "timeout", "forbidden"])
    #expect(reports.value[1].timings == timings)
    #expect(reports.value.allSatisfy { $0.timings.total != nil })
  }
}
