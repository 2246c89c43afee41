package import FoundationEssentials

/// What the login page shows after a message was asked for.
package struct LoginRequestOutcome: Hashable, Sendable {
  package let identifier: Identifier
  /// Seconds until another message may be asked for.
  package let cooldownSeconds: Int
  /// Seconds for which the link or code is good.
  package let expiresInSeconds: Int
}

/// Asks for a login message, inside the device's cooldown (seed 000 §4.1, seed 002 §2.1).
///
/// Link and code share one cooldown per identifier: the largest of the configuration, the call's answer and `Retry-After`.
/// Inside it nothing is sent.
package struct RequestLogin: Sendable {
  /// Which message is asked for.
  package enum Message: Sendable {
    case magicLink, loginCode
  }

  private let gateway: AuthGateway
  private let ledger: LoginLedger
  private let wall: @Sendable () -> Date

  /// Makes the use case of its ports.
  package init(gateway: AuthGateway, ledger: LoginLedger, wall: @escaping @Sendable () -> Date) {
    self.gateway = gateway
    self.ledger = ledger
    self.wall = wall
  }

  /// Normalises, checks the cooldown, asks, and notes when to ask again.
  package func callAsFunction(
    _ message: Message, rawIdentifier: String, config: AppConfig
  ) async throws(AuthError) -> LoginRequestOutcome {
    let identifier = try Identifier(normalizing: rawIdentifier)
    if message == .loginCode, !config.features.loginCode { throw .featureDisabled }
    // Taken before the call, so that a message which arrives before the answer finds the device that asked, and so that of
    // two requests at once one goes out.
    if let retryAt = await ledger.reserve(identifier, wall().addingTimeInterval(Self.turn)) {
      throw .cooldown(retryAfterSeconds: max(1, Self.wholeSeconds(retryAt.timeIntervalSince(wall()))))
    }
    let receipt: LoginRequestReceipt
    do {
      switch message {
      case .magicLink: receipt = try await gateway.requestMagicLink(identifier, await ledger.makeState())
      case .loginCode: receipt = try await gateway.requestLoginCode(identifier)
      }
    } catch .tooManyAttempts(let retryAfterSeconds) {
      let seconds = max(retryAfterSeconds ?? 0, config.cooldownSeconds)
      await ledger.setRetryAt(identifier, wall().addingTimeInterval(TimeInterval(seconds)))
      throw .tooManyAttempts(retryAfterSeconds: seconds)
    } catch {
      await ledger.setRetryAt(identifier, wall())
      throw error
    }
    let seconds = max(receipt.cooldownSeconds, config.cooldownSeconds)
    await ledger.setRetryAt(identifier, wall().addingTimeInterval(TimeInterval(seconds)))
    return LoginRequestOutcome(
      identifier: identifier, cooldownSeconds: seconds, expiresInSeconds: receipt.expiresInSeconds)
  }

  /// How long a request that never ends keeps others out, in seconds.
  private static let turn: TimeInterval = 10

  /// Rounds up, so that waiting the said time is enough; a wall clock that was set back cannot make it longer than a day.
  private static func wholeSeconds(_ interval: TimeInterval) -> Int { Int(min(interval, 86_400).rounded(.up)) }
}
