import HTTPTypes
import JSON
import Logging
import RPC
import Support
import Testing

@testable import Backend

@Suite(.timeLimit(.minutes(1))) struct AuditLogTests {
  @Test func everyEventIsLoggedOnceWithoutASecret() async throws {
    let log = CapturedLog()
    let probe = try await BackendProbe(limits: .relaxed, audit: log.logger(AccountAuditLog.label))
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

    let all = log.texts
    let expected: [AuditEvent.Kind] = [
      .sendLimited, .loginRefused, .accountCreated, .login, .profileCreated, .refreshed, .refreshRepeated, .refreshRefused,
      .refreshReused, .login, .deletionRequested, .loggedOut, .accountDeleted,
    ]
    #expect(all.map { $0.split(separator: " ").dropFirst().first.map(String.init) } == expected.map { $0.rawValue })
    #expect(Set(expected) == Set(AuditEvent.Kind.allCases))
    #expect(all.filter { $0.hasPrefix("warning") }.count == 1)
    let text = all.joined(separator: "\n")
    let sessionID = try #require(first.sessionID)
    #expect(text.contains(me.accountID) && text.contains(sessionID.prefix(8)))
    for secret in [
      BackendProbe.ana, "example.com", sessionID, first.accessToken, first.refreshToken, second.accessToken,
      second.refreshToken, try message.token, try #require(message.code),
    ] { #expect(!text.contains(secret)) }
  }

  @Test func aRepeatedAnswerIsNotLoggedAgain() async throws {
    let log = CapturedLog()
    let probe = try await BackendProbe(audit: log.logger(AccountAuditLog.label))
    let tokens = try await probe.signIn()
    for _ in 0..<3 {
      _ = try await probe.post(
        "/rpc/request_account_deletion", "{}", token: tokens.accessToken, key: "0b6f7a52-6a4e-4c19-9e0c-4c41f2c4a001")
    }
    #expect(log.texts.filter { $0.contains("deletion_requested") }.count == 1)
  }
}
