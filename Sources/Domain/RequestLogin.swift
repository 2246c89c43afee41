package import FoundationEssentials

/// The result of a request for a login message, for the login page.
package struct LoginRequestOutcome: Hashable, Sendable {
  /// Nil if the backend asks for none.
  package let identifier: Identifier?
  /// Seconds until another message can be requested.
  package let cooldownSeconds: Int
  /// Seconds until the link or code expires.
  package let expiresInSeconds: Int
}

/// Requests a login message, unless the device's cooldown is running (seed-rules N-58 "cooldown comes from", A-12 "cooldown is
/// enforced locally").
///
/// Links and codes share one cooldown for each identifier: the longest of the configuration, the response and `Retry-After`.
package struct RequestLogin: Sendable {
  /// The kind of message.
  package enum Message: Sendable {
    case magicLink, loginCode

    /// The contract's call that sends it.
    package var call: String { self == .magicLink ? "request_magic_link" : "request_login_code" }
  }

  private let gateway: AuthGateway
  private let ledger: LoginLedger
  private let wall: @Sendable () -> Date

  package init(gateway: AuthGateway, ledger: LoginLedger, wall: @escaping @Sendable () -> Date) {
    self.gateway = gateway
    self.ledger = ledger
    self.wall = wall
  }

  /// Normalizes the identifier, checks the cooldown, sends the request, and records when the next one is possible; `further` is that of
  /// `AuthGateway`.
  package func callAsFunction(
    _ message: Message, rawIdentifier: String?, further: [String: String] = [:], config: AppConfig
  ) async throws(AuthError) -> LoginRequestOutcome {
    let identifier = try config.offer.identifier(typed: rawIdentifier, for: message.call)
    if message == .loginCode, !config.features.loginCode { throw .featureDisabled }
    guard config.offer.fields(of: message.call) != nil else { throw .featureDisabled }
    // Reserved before the call, so that of two simultaneous requests only one is sent, and so that a message that arrives before the
    // response finds a device that expects it.
    if let retryAt = await ledger.reserve(identifier, wall().addingTimeInterval(Self.turn)) {
      throw .cooldown(retryAfterSeconds: max(1, Self.wholeSeconds(retryAt.timeIntervalSince(wall()))))
    }
    let receipt: LoginRequestReceipt
    do {
      switch message {
      case .magicLink: receipt = try await gateway.requestMagicLink(identifier, await ledger.makeState(), further)
      case .loginCode: receipt = try await gateway.requestLoginCode(identifier, further)
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

  /// How long a request that never ends blocks others, in seconds.
  private static let turn: TimeInterval = 10

  /// Rounds up, so that waiting that long is enough; between zero and a day, in case the wall clock was set back or a stored date
  /// is invalid.
  private static func wholeSeconds(_ interval: TimeInterval) -> Int {
    interval > 0 ? Int(min(86_400, interval).rounded(.up)) : 0
  }
}
