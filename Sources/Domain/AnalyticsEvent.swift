/// The seven analytics events (seed-rules A-58 "seven analytics events", A-59 "anonymous ids only").
///
/// No case contains a `String`, so that no event can contain personal data: words come from enumerations, languages from
/// `LanguageCode`.
package enum AnalyticsEvent: Hashable, Sendable {
  /// A way to sign in.
  package enum Method: String, CaseIterable, Sendable {
    case magicLink = "magic_link"
    case loginCode = "login_code"
    case password
  }

  case magicLinkRequested
  case loginSucceeded(Method)
  case loginFailed(Method, LoginFailureCategory)
  case logout(reason: LogoutReason)
  case settingsOpened
  /// `from` is nil if no profile was active.
  case languageChanged(from: LanguageCode?, to: LanguageCode)
  case analyticsOptInChanged(Bool)

  /// The event's name (seed-rules A-58 "seven analytics events").
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

  /// Creates the event that a page reports; nil if the name is unknown or the event is not for pages to report.
  package init?(pageEvent name: String) {
    guard name == Self.settingsOpened.name else { return nil }
    self = .settingsOpened
  }
}

/// Why a sign-in failed, too coarse to identify a user (seed-rules A-22 "A sign-in reports", A-67 "coarse categories").
package enum LoginFailureCategory: String, CaseIterable, Sendable {
  case invalidIdentifier = "invalid_identifier"
  case invalidCredential = "invalid_credential"
  case untrustedLink = "untrusted_link"
  case rateLimited = "rate_limited"
  case network
  case backend
  case device

  /// Creates the category of a login error.
  package init(_ error: AuthError) {
    self =
      switch error {
      case .invalidIdentifier: .invalidIdentifier
      case .loginCodeInvalid, .passwordInvalid, .loginLinkInvalid, .linkIncomplete: .invalidCredential
      case .linkUntrusted, .foreignState: .untrustedLink
      case .tooManyAttempts, .cooldown, .failed(.rateLimited): .rateLimited
      case .storageFull, .failed(.cancelled), .sessionEnded: .device
      case .failed(.offline), .failed(.timeout), .failed(.tlsFailed), .failed(.pinMismatch): .network
      case .accountRefused, .requestRefused, .featureDisabled, .failed: .backend
      }
  }
}
