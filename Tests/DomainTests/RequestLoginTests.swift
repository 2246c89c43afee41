import Domain
import FoundationEssentials
import Support
import Locking
import Testing

@Suite struct RequestLoginTests {
  /// Records the calls of the gateway and contains its answers.
  final class Backend: Sendable {
    let calls = Locked<[String]>([])
    let answer = Locked<Result<LoginRequestReceipt, AuthError>>(
      .success(LoginRequestReceipt(cooldownSeconds: 5, expiresInSeconds: 600)))
    let retryAt = Locked<[Identifier?: Date]>([:])
    let driven = DrivenTime()

    func note(_ call: String) throws(AuthError) -> LoginRequestReceipt {
      calls.withLock { $0.append(call) }
      return try answer.withLock { $0 }.get()
    }

    var gateway: AuthGateway {
      AuthGateway(
        requestMagicLink: { (identifier, state, _) async throws(AuthError) in
          try self.note("link \(identifier?.text ?? "none") \(state)")
        },
        requestLoginCode: { (identifier, _) async throws(AuthError) in try self.note("code \(identifier?.text ?? "none")") },
        redeemMagicToken: { (_, _, _) async throws(AuthError) in }, redeemCode: { (_, _, _) async throws(AuthError) in },
        redeemPassword: { (_, _, _) async throws(AuthError) in },
        logout: { _ in })
    }

    var ledger: LoginLedger {
      LoginLedger(
        reserve: { identifier, until in
          self.retryAt.withLock { retryAt in
            if let taken = retryAt[identifier], taken > self.driven.wall { return taken }
            retryAt[identifier] = until
            return nil
          }
        },
        setRetryAt: { identifier, date in self.retryAt.withLock { $0[identifier] = date } },
        makeState: { "made" }, recognize: { $0 == "made" ? .whole : $0 == "ma" ? .beginning : .unknown })
    }
  }

  let backend = Backend()
  var driven: DrivenTime { backend.driven }
  var config: AppConfig {
    var config = AppConfig()
    config.cooldownSeconds = 3
    return config
  }

  func request(_ message: RequestLogin.Message, _ identifier: String, config: AppConfig? = nil) async throws
    -> LoginRequestOutcome
  {
    let useCase = RequestLogin(gateway: backend.gateway, ledger: backend.ledger, wall: driven.time.wall)
    return try await useCase(message, rawIdentifier: identifier, config: config ?? self.config)
  }

  @Test func asksOnceAndThenWaits() async throws {
    let outcome = try await request(.magicLink, " Dana@Example.com")
    #expect(outcome.cooldownSeconds == 5)
    #expect(backend.calls.withLock { $0 } == ["link dana@example.com made"])
    await #expect(throws: AuthError.cooldown(retryAfterSeconds: 5)) { try await request(.loginCode, "dana@example.com") }
    driven.advance(by: .milliseconds(4100))
    await #expect(throws: AuthError.cooldown(retryAfterSeconds: 1)) { try await request(.magicLink, "dana@example.com") }
    #expect(backend.calls.withLock { $0.count } == 1)
    driven.advance(by: .milliseconds(900))
    _ = try await request(.loginCode, "dana@example.com")
    #expect(backend.calls.withLock { $0.last } == "code dana@example.com")
  }

  @Test func takesTheLargestWait() async throws {
    var config = self.config
    config.cooldownSeconds = 40
    #expect(try await request(.magicLink, "a@b.co", config: config).cooldownSeconds == 40)
    backend.answer.withLock { $0 = .failure(.tooManyAttempts(retryAfterSeconds: 90)) }
    await #expect(throws: AuthError.tooManyAttempts(retryAfterSeconds: 90)) {
      try await request(.magicLink, "c@d.co", config: config)
    }
    await #expect(throws: AuthError.cooldown(retryAfterSeconds: 90)) { try await request(.magicLink, "c@d.co", config: config) }
  }

  @Test func doesNotAskForCodesThatAreSwitchedOff() async {
    var config = self.config
    config.features.loginCode = false
    await #expect(throws: AuthError.featureDisabled) { try await request(.loginCode, "a@b.co", config: config) }
    #expect(backend.calls.withLock { $0.isEmpty })
  }

  @Test func aFailedRequestGivesItsTurnBack() async throws {
    backend.answer.withLock { $0 = .failure(.failed(.offline)) }
    await #expect(throws: AuthError.failed(.offline)) { try await request(.magicLink, "a@b.co") }
    backend.answer.withLock { $0 = .success(LoginRequestReceipt(cooldownSeconds: 5, expiresInSeconds: 600)) }
    _ = try await request(.magicLink, "a@b.co")
  }
}
