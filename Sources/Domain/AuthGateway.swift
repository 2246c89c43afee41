/// The backend's response to a request for a login message.
package struct LoginRequestReceipt: Hashable, Sendable {
  /// Seconds until another message can be requested.
  package let cooldownSeconds: Int
  /// Seconds until the link or code expires.
  package let expiresInSeconds: Int

  package init(cooldownSeconds: Int, expiresInSeconds: Int) {
    self.cooldownSeconds = cooldownSeconds
    self.expiresInSeconds = expiresInSeconds
  }
}

/// The login calls of the use cases; the redeeming calls store the tokens in the session before they return.
///
/// A backend with a file may ask for no identifier, which is then nil. `further` has the values that a backend asks for in
/// addition to a call's own, by their names in its backend file: `password` or `link.PARAM`.
package struct AuthGateway: Sendable {
  /// Requests a link, which will contain `state`.
  package var requestMagicLink:
    @Sendable (_ identifier: Identifier?, _ state: String, _ further: [String: String]) async throws(AuthError)
      -> LoginRequestReceipt
  /// Requests a code.
  package var requestLoginCode:
    @Sendable (_ identifier: Identifier?, _ further: [String: String]) async throws(AuthError) -> LoginRequestReceipt
  /// Redeems a link's token.
  package var redeemMagicToken:
    @Sendable (_ token: String, _ state: String?, _ further: [String: String]) async throws(AuthError) -> Void
  /// Redeems a code.
  package var redeemCode:
    @Sendable (_ identifier: Identifier?, _ code: String, _ further: [String: String]) async throws(AuthError) -> Void
  /// Signs in with a password, which is masked from then on and never stored.
  package var redeemPassword:
    @Sendable (_ identifier: Identifier?, _ password: String, _ further: [String: String]) async throws(AuthError) -> Void
  /// Ends the session on this device and, if it can be reached, on the backend.
  package var logout: @Sendable (_ reason: LogoutReason) async -> Void

  package init(
    requestMagicLink:
      @escaping @Sendable (Identifier?, String, [String: String]) async throws(AuthError) -> LoginRequestReceipt,
    requestLoginCode: @escaping @Sendable (Identifier?, [String: String]) async throws(AuthError) -> LoginRequestReceipt,
    redeemMagicToken: @escaping @Sendable (String, String?, [String: String]) async throws(AuthError) -> Void,
    redeemCode: @escaping @Sendable (Identifier?, String, [String: String]) async throws(AuthError) -> Void,
    redeemPassword: @escaping @Sendable (Identifier?, String, [String: String]) async throws(AuthError) -> Void,
    logout: @escaping @Sendable (LogoutReason) async -> Void
  ) {
    self.requestMagicLink = requestMagicLink
    self.requestLoginCode = requestLoginCode
    self.redeemMagicToken = redeemMagicToken
    self.redeemCode = redeemCode
    self.redeemPassword = redeemPassword
    self.logout = logout
  }
}
