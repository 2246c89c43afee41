import HTTPTypes
import JSON
import Logging
import RPC
import Support
import Locking
import Testing

@testable import Backend

/// Collects log messages.
private struct KeptLog: LogHandler {
  let lines: KeptLines
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    lines.add("\(event.level) \(event.message) \(event.metadata ?? [:])")
  }
}

private final class KeptLines: Sendable {
  private let lines = Locked<[String]>([])
  func add(_ line: String) { lines.withLock { $0.append(line) } }
  var all: [String] { lines.withLock { $0 } }
}

@Suite(.timeLimit(.minutes(1))) struct AuditLogTests {
  @Test func everyEventIsLoggedOnceWithoutASecret() async throws {
    let lines = KeptLines()
    let audit = Logger(label: AuditLog.label) { _ in KeptLog(lines: lines) }
    let probe = try BackendProbe(limits: .relaxed, audit: audit)
    let message = try await probe.ask()
    _ = try await probe.post("/rpc/request_login_code", "{\"identifier\":\"\(BackendProbe.ana)\"}")
    _ = try await probe.redeem(code: message.wrongCode)
    let first = try await probe.redeem(link: message.token).tokens
    let me = try await probe.account(first)
    _ = try await probe.post(
      "/rpc/get_or_create_account_profile", "{\"account_id\":\"\(me.accountID)\",\"language_code\":\"de\"}",
      token: first.accessToken)
    let second = try await probe.refresh(first.refreshToken).tokens
    _ = try await probe.refresh(first.refreshToken)
    _ = try await probe.refresh("x")
    probe.time.advance(by: .seconds(11))
    _ = try await probe.refresh(first.refreshToken)
    probe.time.advance(by: .seconds(5))
    let other = try await probe.signIn()
    _ = try await probe.post("/rpc/request_account_deletion", "{}", token: other.accessToken)
    _ = try await probe.post("/app/api/logout", "{}", token: other.accessToken)
    try await probe.backend.clock.advance(seconds: 14 * 86_400)

    let all = lines.all
    let expected: [AuditEvent.Kind] = [
      .sendLimited, .loginRefused, .accountCreated, .login, .profileCreated, .refreshed, .refreshRepeated, .refreshRefused,
      .refreshReused, .login, .deletionRequested, .loggedOut, .accountDeleted,
    ]
    #expect(all.map { $0.split(separator: " ").dropFirst().first.map(String.init) } == expected.map { $0.rawValue })
    #expect(Set(expected) == Set(AuditEvent.Kind.allCases))
    #expect(all.filter { $0.hasPrefix("warning") }.count == 1)
    let text = all.joined(separator: "\n")
    #expect(text.contains(me.accountID) && text.contains(first.sessionID.prefix(8)))
    for secret in [
      BackendProbe.ana, "example.com", first.sessionID, first.accessToken, first.refreshToken, second.accessToken,
      second.refreshToken, try message.token, try #require(message.code),
    ] { #expect(!text.contains(secret)) }
  }

  @Test func aRepeatedAnswerIsNotLoggedAgain() async throws {
    let lines = KeptLines()
    let probe = try BackendProbe(audit: Logger(label: AuditLog.label) { _ in KeptLog(lines: lines) })
    let tokens = try await probe.signIn()
    for _ in 0..<3 {
      _ = try await probe.post(
        "/rpc/request_account_deletion", "{}", token: tokens.accessToken, key: "0b6f7a52-6a4e-4c19-9e0c-4c41f2c4a001")
    }
    #expect(lines.all.filter { $0.contains("deletion_requested") }.count == 1)
  }
}
