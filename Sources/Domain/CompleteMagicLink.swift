/// Signs in with a magic link that this device requested, or that the user accepts as another device's (seed-rules N-63 "Opening
/// a link").
package struct CompleteMagicLink: Sendable {
  private let gateway: AuthGateway
  private let ledger: LoginLedger

  package init(gateway: AuthGateway, ledger: LoginLedger) {
    self.gateway = gateway
    self.ledger = ledger
  }

  /// Signs in with the link that this device requested, or else with the first.
  ///
  /// Unless `acceptForeign` is true, throws `AuthError.linkIncomplete` if a link has the beginning of a `state` of this device, and
  /// `AuthError.foreignState` if none has such a `state`.
  /// A missing `state` counts as foreign, so that removing it from a link does not avoid the question.
  /// - Parameter links: the readings of one text, at least one; a link that was wrapped has several.
  package func callAsFunction(_ links: [DeepLink], acceptForeign: Bool) async throws(AuthError) {
    guard let first = links.first else { throw .loginLinkInvalid }
    var isCut = false
    for link in links {
      switch await ledger.recognize(link.state ?? "") {
      case .whole: return try await gateway.redeemMagicToken(link.token, link.state, [:])
      case .beginning: isCut = true
      case .unknown: continue
      }
    }
    guard acceptForeign else { throw isCut ? .linkIncomplete : .foreignState }
    try await gateway.redeemMagicToken(first.token, first.state, [:])
  }
}
