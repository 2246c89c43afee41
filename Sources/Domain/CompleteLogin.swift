/// Redeems a link, if it is this device's or the user accepts that it is not (seed 002 §2.2).
package struct CompleteMagicLink: Sendable {
  private let gateway: AuthGateway
  private let ledger: LoginLedger

  /// Makes the use case of its ports.
  package init(gateway: AuthGateway, ledger: LoginLedger) {
    self.gateway = gateway
    self.ledger = ledger
  }

  /// Signs in; throws `AuthError.foreignState` for a `state` that this device did not make, and for none, unless it is accepted.
  ///
  /// A link without its state could be anybody's: cutting it off must not be the way around the question.
  package func callAsFunction(_ link: DeepLink, acceptForeign: Bool) async throws(AuthError) {
    if !acceptForeign {
      guard let state = link.state, await ledger.knowsState(state) else { throw .foreignState }
    }
    try await gateway.redeemMagicToken(link.token, link.state)
  }
}

/// Redeems a code (seed 002 §2.2).
package struct LoginWithCode: Sendable {
  private let gateway: AuthGateway

  /// Makes the use case of its port.
  package init(gateway: AuthGateway) { self.gateway = gateway }

  /// Signs in; spaces and dashes in the code are dropped, and a code of another length or alphabet is refused without a call.
  package func callAsFunction(rawIdentifier: String, rawCode: String, config: AppConfig) async throws(AuthError) {
    let identifier = try Identifier(normalizing: rawIdentifier)
    let code = rawCode.filter { !$0.isWhitespace && $0 != "-" }
    guard code.utf8.count == config.codeLength, code.utf8.allSatisfy({ (48...57).contains($0) }) else {
      throw .loginCodeInvalid
    }
    try await gateway.redeemCode(identifier, code)
  }
}
