import Text

/// Signs in with a code (seed-rules A-23 "Signing in with a code").
package struct LoginWithCode: Sendable {
  private let gateway: AuthGateway

  package init(gateway: AuthGateway) { self.gateway = gateway }

  /// Signs in; ignores spaces and dashes in the code, and rejects a code of another length or with other characters without a
  /// call. Throws `featureDisabled` if the backend offers no codes.
  ///
  /// A backend with a file alone decides the form of a code, of which only white space is ignored. `further` is that of
  /// `AuthGateway`.
  package func callAsFunction(
    rawIdentifier: String?, rawCode: String, further: [String: String] = [:], config: AppConfig
  ) async throws(AuthError) {
    guard config.features.loginCode, config.offer.has(.signInByCode) else { throw .featureDisabled }
    let identifier = try config.offer.identifier(typed: rawIdentifier, for: "login_with_code")
    if config.offer.isOfFile {
      let code = rawCode.filter { !$0.isWhitespace }
      guard (1...256).contains(code.utf8.count) else { throw .loginCodeInvalid }
      try await gateway.redeemCode(identifier, code, further)
      return
    }
    let code = rawCode.filter { !$0.isWhitespace && $0 != "-" }
    guard code.utf8.count == config.codeLength, code.utf8.allSatisfy({ ASCII.isDigit($0) }) else {
      throw .loginCodeInvalid
    }
    try await gateway.redeemCode(identifier, code, further)
  }
}
