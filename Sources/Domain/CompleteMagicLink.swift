/// Signs in with a magic link that this device requested, or that the user accepts as another device's (seed-rules N-63 "Opening
/// a link").
package struct CompleteMagicLink: Sendable {
  private let gateway: AuthGateway
  private let ledger: LoginLedger

  package init(gateway: AuthGateway, ledger: LoginLedger) {
    self.gateway = gateway
    self.ledger = ledger
  }

  /// Signs in; throws `AuthError.foreignState` if the link has no `state` of this device, unless `acceptForeign` is true.
  ///
  /// A missing `state` counts as foreign, so that removing it from a link does not avoid the question.
  package func callAsFunction(_ link: DeepLink, acceptForeign: Bool) async throws(AuthError) {
    if !acceptForeign {
      guard let state = link.state, await ledger.knowsState(state) else { throw .foreignState }
    }
    try await gateway.redeemMagicToken(link.token, link.state)
  }
}
