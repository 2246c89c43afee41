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
  /// - Parameter further: that of `AuthGateway`.
  package func callAsFunction(
    _ links: [DeepLink], acceptForeign: Bool, further: [String: String] = [:]
  ) async throws(AuthError) {
    guard let first = links.first else { throw .loginLinkInvalid }
    var isCut = false
    for link in links {
      switch await ledger.recognize(link.state ?? "") {
      case .whole: return try await gateway.redeemMagicToken(link.token, link.state, further)
      case .beginning: isCut = true
      case .unknown: continue
      }
    }
    guard acceptForeign else { throw isCut ? .linkIncomplete : .foreignState }
    try await gateway.redeemMagicToken(first.token, first.state, further)
  }

  /// Signs in with the parameters of a link, at a backend whose file names the relevant ones.
  ///
  /// If the backend sends links at this device's request, `state` counts as for other links. Throws `AuthError` as above, and
  /// `featureDisabled` if the backend has no links.
  package func callAsFunction(
    parameters: LinkParameters, acceptForeign: Bool, further: [String: String] = [:], offer: BackendOffer
  ) async throws(AuthError) {
    guard offer.has(.signInByLink) else { throw .featureDisabled }
    let token = parameters.values["token"] ?? ""
    let state = parameters.values["state"]
    if offer.fields(of: RequestLogin.Message.magicLink.call) != nil, !acceptForeign {
      switch await ledger.recognize(state ?? "") {
      case .whole: break
      case .beginning: throw .linkIncomplete
      case .unknown: throw .foreignState
      }
    }
    try await gateway.redeemMagicToken(token, state, parameters.templateValues.merging(further) { $1 })
  }
}
