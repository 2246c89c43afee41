import Text

/// Signs in with a code (seed-rules A-23 "Signing in with a code").
package struct LoginWithCode: Sendable {
  private let gateway: AuthGateway

  package init(gateway: AuthGateway) { self.gateway = gateway }

  /// Signs in; ignores spaces and dashes in the code, and refuses a code of another length or with other characters without a call.
  /// Throws `featureDisabled` if the backend offers no codes.
  package func callAsFunction(rawIdentifier: String, rawCode: String, config: AppConfig) async throws(AuthError) {
    guard config.features.loginCode else { throw .featureDisabled }
    let identifier = try Identifier(normalizing: rawIdentifier)
    let code = rawCode.filter { !$0.isWhitespace && $0 != "-" }
    guard code.utf8.count == config.codeLength, code.utf8.allSatisfy({ ASCII.isDigit($0) }) else {
      throw .loginCodeInvalid
    }
    try await gateway.redeemCode(identifier, code, [:])
  }
}
