/// Signs in with a password, at a backend whose file has such a call.
package struct LoginWithPassword: Sendable {
  /// The longest password, in bytes.
  package static let longest = 1024

  private let gateway: AuthGateway

  package init(gateway: AuthGateway) { self.gateway = gateway }

  /// Signs in; the password is sent unchanged. Throws `featureDisabled` if the backend has no passwords, and `passwordInvalid`
  /// without a call if it is empty or too long.
  package func callAsFunction(
    rawIdentifier: String?, password: String, further: [String: String] = [:], config: AppConfig
  ) async throws(AuthError) {
    guard config.offer.has(.signInByPassword) else { throw .featureDisabled }
    let identifier = try config.offer.identifier(typed: rawIdentifier, for: "login_with_password")
    guard password.utf8.count <= Self.longest, !password.isEmpty || !config.offer.asks("login_with_password", for: "password")
    else { throw .passwordInvalid }
    try await gateway.redeemPassword(identifier, password, further)
  }
}
