/// A call that a backend file may describe.
package enum CallName: String, CaseIterable, Sendable {
  case requestMagicLink = "request_magic_link"
  case requestLoginCode = "request_login_code"
  case loginWithMagicToken = "login_with_magic_token"
  case loginWithCode = "login_with_code"
  case loginWithPassword = "login_with_password"
  case refreshTokens = "refresh_tokens"
  case me
  case appConfig = "app_config"
  case getOrCreateAccountProfile = "get_or_create_account_profile"
  case setActiveProfile = "set_active_profile"
  case requestAccountDeletion = "request_account_deletion"
  case getCues = "get_cues"
  case shuffleCues = "shuffle_cues"
  case updateCueStage = "update_cue_stage"
  case logout

  /// The role of a call in a session, which decides the meaning of its errors.
  package enum Role: Hashable, Sendable {
    /// Sends a code or a link.
    case request
    /// Begins a session.
    case login
    /// Exchanges the refresh token.
    case refresh
    /// Needs a session.
    case signedIn
    /// Needs no session.
    case open
  }

  package var role: Role {
    switch self {
    case .requestMagicLink, .requestLoginCode: .request
    case .loginWithMagicToken, .loginWithCode, .loginWithPassword: .login
    case .refreshTokens: .refresh
    case .appConfig: .open
    case .me, .getOrCreateAccountProfile, .setActiveProfile, .requestAccountDeletion, .getCues, .shuffleCues, .updateCueStage,
      .logout:
      .signedIn
    }
  }

  /// Whether it begins, renews or ends a session, or requests a code or a link; a person never sends such calls again.
  package var isAuthentication: Bool { isSignIn || role == .refresh || self == .logout }

  /// Whether a user signs in by it, so that templates may use the user's typed values.
  package var isSignIn: Bool { role == .request || role == .login }

  /// The values that the call's own request has, by their names in templates; the client fills them in.
  package var arguments: [String] {
    switch self {
    case .getOrCreateAccountProfile, .setActiveProfile: ["account_id", "language_code"]
    case .getCues: ["profile_id", "updated_since"]
    case .shuffleCues: ["profile_id"]
    case .updateCueStage: ["cue_id", "stage", "base_updated_at"]
    default: []
    }
  }
}
