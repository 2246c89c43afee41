/// What may be told of how the app is used: seven events with closed sets of values, into which nothing personal fits (seed 002 §6).
///
/// No case holds a `String`: words come from enumerations, languages from `LanguageCode`.
package enum AnalyticsEvent: Hashable, Sendable {
  /// How somebody signs in.
  package enum Method: String, CaseIterable, Sendable {
    case magicLink = "magic_link"
    case loginCode = "login_code"
  }

  case magicLinkRequested
  case loginSucceeded(Method)
  case loginFailed(Method, LoginFailureCategory)
  case logout(reason: LogoutReason)
  case settingsOpened
  /// `from` is nil where no profile was active.
  case languageChanged(from: LanguageCode?, to: LanguageCode)
  case analyticsOptInChanged(Bool)

  /// The event's name (seed 002 §6).
  package var name: String {
    switch self {
    case .magicLinkRequested: "auth.magic_link_requested"
    case .loginSucceeded: "auth.login_success"
    case .loginFailed: "auth.login_failed"
    case .logout: "auth.logout"
    case .settingsOpened: "settings.opened"
    case .languageChanged: "settings.language_change"
    case .analyticsOptInChanged: "settings.analytics_opt_in_changed"
    }
  }

  /// The event of that name, where a page may report it: those that only a page can know of.
  package init?(pageEvent name: String) {
    guard name == Self.settingsOpened.name else { return nil }
    self = .settingsOpened
  }
}

/// Why a sign-in failed, coarse enough to say nothing about anybody (seed 002 §2.2).
package enum LoginFailureCategory: String, CaseIterable, Sendable {
  case invalidIdentifier = "invalid_identifier"
  case invalidCredential = "invalid_credential"
  case untrustedLink = "untrusted_link"
  case rateLimited = "rate_limited"
  case network
  case backend
  case device

  /// The category of a login failure.
  package init(_ error: AuthError) {
    self =
      switch error {
      case .invalidIdentifier: .invalidIdentifier
      case .loginCodeInvalid, .loginLinkInvalid: .invalidCredential
      case .linkUntrusted, .foreignState: .untrustedLink
      case .tooManyAttempts, .cooldown, .failed(.rateLimited): .rateLimited
      case .storageFull, .failed(.cancelled), .sessionEnded: .device
      case .failed(.offline), .failed(.timeout), .failed(.tlsFailed), .failed(.pinMismatch): .network
      case .featureDisabled, .failed: .backend
      }
  }
}
