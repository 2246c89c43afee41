/// Why a sign-in failed, too coarse to identify anybody (seed-rules A-22 "A sign-in reports", A-67 "coarse categories").
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
      case .loginCodeInvalid, .loginLinkInvalid: .invalidCredential
      case .linkUntrusted, .foreignState: .untrustedLink
      case .tooManyAttempts, .cooldown, .failed(.rateLimited): .rateLimited
      case .storageFull, .failed(.cancelled), .sessionEnded: .device
      case .failed(.offline), .failed(.timeout), .failed(.tlsFailed), .failed(.pinMismatch): .network
      case .accountRefused, .requestRefused, .featureDisabled, .failed: .backend
      }
  }
}
