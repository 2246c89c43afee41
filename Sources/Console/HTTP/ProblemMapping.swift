package import Domain
import HTTPTypes

extension Problem {
  /// Translates a login failure (contract §2.3).
  package init(_ error: AuthError) {
    self =
      switch error {
      case .invalidIdentifier:
        Problem(.unprocessableContent, "invalid_identifier", "Not an e-mail address or phone number.", field: "identifier")
      case .tooManyAttempts(let seconds):
        Problem(.tooManyRequests, "too_many_attempts", "The backend asks to wait.", retryAfterSeconds: seconds)
      case .cooldown(let seconds):
        Problem(.tooManyRequests, "cooldown", "This device asked a moment ago.", retryAfterSeconds: seconds)
      case .loginCodeInvalid:
        Problem(.unprocessableContent, "login_code_invalid", "The code is wrong, used or expired.", field: "code")
      case .loginLinkInvalid:
        Problem(.unprocessableContent, "login_link_invalid", "The link is malformed, used or expired.")
      case .linkUntrusted:
        Problem(.unprocessableContent, "link_untrusted", "The link leads to a host that is not trusted.")
      case .foreignState:
        Problem(.conflict, "conflict", "The link was asked for on another device.", field: "state")
      case .featureDisabled: .featureDisabled
      case .sessionEnded: .sessionEnded
      case .storageFull: .storageFull
      case .failed(let failure): Problem(failure)
      }
  }

  /// Translates an account failure (contract §2.3).
  package init(_ error: AccountError) {
    self =
      switch error {
      case .signedOut: .signedOut
      case .sessionEnded: .sessionEnded
      case .profileNotFound: .notFound
      case .unsupportedLanguage: .invalidRequest("The configuration has no such language.", field: "language_code")
      case .confirmationMismatch:
        Problem(.unprocessableContent, "confirmation_mismatch", "The confirmation is not the word.", field: "confirmation")
      case .featureDisabled: .featureDisabled
      case .storageFull: .storageFull
      case .missingField: Problem(CallFailure.unexpectedPayload)
      case .failed(let failure), .outcomeUnknown(let failure): Problem(failure)
      }
  }

  /// Translates a failure about cues (contract §2.3).
  package init(_ error: CueError) {
    self =
      switch error {
      case .signedOut: .signedOut
      case .sessionEnded: .sessionEnded
      case .cueNotFound, .profileNotFound: .notFound
      case .unknownStage: .invalidRequest("There is no such stage.", field: "stage")
      case .conflict: Problem(CallFailure.conflict)
      case .unsyncedEdits: Problem(.conflict, "unsynced_edits", "Edits have not reached the backend and would be lost.")
      case .storageFull: .storageFull
      case .failed(let failure): Problem(failure)
      }
  }

  /// Translates a failure of the network layer; a backend's 401 never becomes the console's own.
  package init(_ failure: CallFailure) {
    self =
      switch failure {
      case .offline: Problem(.serviceUnavailable, "offline", "The backend cannot be reached.")
      case .timeout: Problem(.gatewayTimeout, "timeout", "The backend did not answer in time.")
      case .unavailable, .cancelled: Problem(.serviceUnavailable, "unavailable", "The backend is not available.")
      case .rateLimited(let seconds):
        Problem(.tooManyRequests, "too_many_attempts", "The backend asks to wait.", retryAfterSeconds: seconds)
      case .notFound: .notFound
      case .conflict: Problem(.conflict, "conflict", "The backend holds something newer.")
      case .unexpectedPayload: Problem(.badGateway, "unexpected_payload", "The backend's answer cannot be read.")
      case .pinMismatch: Problem(.badGateway, "pin_mismatch", "The backend's key matches no pin.")
      case .tlsFailed: Problem(.badGateway, "tls_failed", "The backend's certificate cannot be trusted.")
      case .signatureRejected: Problem(.badGateway, "signature_rejected", "The backend refuses the signature.")
      case .unauthorized, .forbidden, .backendError: Problem(.badGateway, "backend_error", "The backend refuses the call.")
      }
  }

  package static let featureDisabled = Problem(.forbidden, "feature_disabled", "The backend switched this feature off.")
  package static let sessionEnded = Problem(.conflict, "session_ended", "The session ended while the call was under way.")
}
