package import Domain

extension BackendFeature {
  /// The calls that it needs.
  package var calls: [CallName] {
    switch self {
    case .signInByLink: [.loginWithMagicToken]
    case .signInByCode: [.loginWithCode]
    case .signInByPassword: [.loginWithPassword]
    case .refresh: [.refreshTokens]
    case .account: [.me]
    case .profiles: [.getOrCreateAccountProfile, .setActiveProfile]
    case .cues: [.getCues]
    case .deletion: [.requestAccountDeletion]
    case .logout: [.logout]
    }
  }
}

extension BackendDefinition {
  /// The parts of the pages that the file has no calls for.
  package var hidden: [BackendFeature] { BackendFeature.allCases.filter { !gives($0) } }

  /// Whether the file has the calls of a part of the pages.
  private func gives(_ feature: BackendFeature) -> Bool { feature.calls.allSatisfy(has) }

  /// Whether the sign-in page asks for a link that the user pastes, because the file cannot send one.
  package var pastesLink: Bool { has(.loginWithMagicToken) && !has(.requestMagicLink) }

  /// Its user actions and sign-in fields, for the pages.
  package var offer: BackendOffer {
    BackendOffer(
      signIn: signIn.map { BackendOffer.SignInCall($0.call.rawValue, $0.fields.map(\.rawValue)) }, hidden: Set(hidden),
      isOfFile: true)
  }
}
