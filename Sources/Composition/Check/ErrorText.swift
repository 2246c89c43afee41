import Client
import Domain

/// The text of an error in a report: a stable identifier, with details that help a person.
enum ErrorText {
  /// The text of any error; identifies nobody.
  static func describe(_ error: any Error) -> String {
    switch error {
    case let stop as CheckStop:
      switch stop {
      case .failed(let reason), .skipped(let reason): reason
      }
    case let error as AuthError: describe(error)
    case let error as AccountError: describe(error)
    case let error as CueError: describe(error)
    case let error as NetworkError:
      switch error {
      case .rejected(let status, let code): "\(status) \(code ?? "without a code")"
      case .server(let status, _): "server_error \(status)"
      case .unexpectedPayload(let mismatch): "unexpected_payload: \(mismatch)"
      default: error.backendCode ?? error.word
      }
    case is CancellationError: "cancelled"
    // The text of an unknown error could quote anything.
    default: "an error of type \(type(of: error))"
    }
  }

  static func describe(_ error: AuthError) -> String {
    switch error {
    case .invalidIdentifier: "invalid_identifier"
    case .tooManyAttempts(let seconds): seconds.map { "too_many_attempts, \($0) s to wait" } ?? "too_many_attempts"
    case .cooldown(let seconds): "cooldown, \(seconds) s to wait"
    case .loginCodeInvalid: "login_code_invalid"
    case .loginLinkInvalid: "login_link_invalid"
    case .accountRefused: "account_refused"
    case .requestRefused: "request_refused"
    case .linkUntrusted: "link_untrusted"
    case .foreignState: "foreign_state"
    case .featureDisabled: "feature_disabled"
    case .sessionEnded: "session_ended"
    case .storageFull: "storage_full"
    case .failed(let failure): describe(failure)
    }
  }

  static func describe(_ error: AccountError) -> String {
    switch error {
    case .signedOut: "signed_out"
    case .sessionEnded: "session_ended"
    case .profileNotFound: "profile_not_found"
    case .unsupportedLanguage: "unsupported_language"
    case .confirmationMismatch: "confirmation_mismatch"
    case .featureDisabled: "feature_disabled"
    case .storageFull: "storage_full"
    case .missingField(let field): "\(field) is missing"
    case .outcomeUnknown(let failure): "\(describe(failure)), outcome unknown"
    case .failed(let failure): describe(failure)
    }
  }

  static func describe(_ error: CueError) -> String {
    switch error {
    case .signedOut: "signed_out"
    case .sessionEnded: "session_ended"
    case .cueNotFound: "cue_not_found"
    case .profileNotFound: "profile_not_found"
    case .unknownStage: "unknown_stage"
    case .conflict: "conflict"
    case .unsyncedEdits(let count): "unsynced_edits: \(count)"
    case .storageFull: "storage_full"
    case .failed(let failure): describe(failure)
    }
  }

  static func describe(_ failure: CallFailure) -> String {
    switch failure {
    case .offline: "offline"
    case .timeout: "timeout"
    case .unavailable: "unavailable"
    case .rateLimited(let seconds): seconds.map { "rate_limited, \($0) s to wait" } ?? "rate_limited"
    case .forbidden: "forbidden"
    case .notFound: "not_found"
    case .conflict: "conflict"
    case .unexpectedPayload: "unexpected_payload"
    case .pinMismatch: "pin_mismatch"
    case .tlsFailed: "tls_failed"
    case .signatureRejected: "signature_rejected"
    case .unauthorized: "unauthorized"
    case .cancelled: "cancelled"
    case .backendError: "backend_error"
    }
  }

  /// The outcome of a refresh.
  static func describe(_ outcome: RefreshOutcome) -> String {
    switch outcome {
    case .refreshed: "refreshed"
    case .failed(let error): describe(error)
    case .ended: "session_ended"
    case .cancelled: "cancelled"
    case .timedOut: "timeout"
    }
  }
}
