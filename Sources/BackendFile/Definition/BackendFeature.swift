/// A part of the pages that is there only if the backend file has the calls for it.
package enum BackendFeature: String, CaseIterable, Sendable {
  case signInByLink = "sign_in_link"
  case signInByCode = "sign_in_code"
  case signInByPassword = "sign_in_password"
  case refresh, account, profiles, cues, deletion, logout

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

  /// Its name for people.
  package var words: String {
    switch self {
    case .signInByLink: "sign-in by link"
    case .signInByCode: "sign-in by code"
    case .signInByPassword: "sign-in by password"
    case .refresh: "refresh"
    case .account: "account details"
    case .profiles: "profiles"
    case .cues: "cues"
    case .deletion: "account deletion"
    case .logout: "sign-out at the backend"
    }
  }
}

extension BackendDefinition {
  /// The parts of the pages that the file has no calls for.
  package var hidden: [BackendFeature] { BackendFeature.allCases.filter { !gives($0) } }

  /// Whether the file has the calls of a part of the pages.
  package func gives(_ feature: BackendFeature) -> Bool { feature.calls.allSatisfy(has) }

  /// Whether the sign-in page asks for a link that the user pastes, because the file cannot send one.
  package var pastesLink: Bool { has(.loginWithMagicToken) && !has(.requestMagicLink) }
}
