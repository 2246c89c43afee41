/// Every code of the console's problems, with its status.
package enum ProblemCode: String, CaseIterable, Sendable {
  case invalidRequest = "invalid_request"
  case noDevice = "no_device"
  case signedOut = "signed_out"
  case accessRequired = "access_required"
  case originRefused = "origin_refused"
  case featureDisabled = "feature_disabled"
  case roleRefused = "role_refused"
  case notReplayable = "not_replayable"
  /// The same code with another status: the value behind a mask of the row is no longer known.
  case maskNotHeld = "not_replayable 409"
  case notFound = "not_found"
  case methodNotAllowed = "method_not_allowed"
  case conflict
  case invalidRecording = "invalid_recording"
  case sessionEnded = "session_ended"
  case unsyncedEdits = "unsynced_edits"
  case accountTaken = "account_taken"
  case payloadTooLarge = "payload_too_large"
  case unsupportedMediaType = "unsupported_media_type"
  case invalidIdentifier = "invalid_identifier"
  case loginCodeInvalid = "login_code_invalid"
  case passwordInvalid = "password_invalid"
  case loginLinkInvalid = "login_link_invalid"
  case linkMalformed = "link_malformed"
  case linkUntrusted = "link_untrusted"
  case accountRefused = "account_refused"
  case requestRefused = "request_refused"
  case confirmationMismatch = "confirmation_mismatch"
  case tooManyAttempts = "too_many_attempts"
  case cooldown
  case tooManyStreams = "too_many_streams"
  case internalError = "internal_error"
  case exportRefused = "export_refused"
  case unexpectedPayload = "unexpected_payload"
  case pinMismatch = "pin_mismatch"
  case tlsFailed = "tls_failed"
  case signatureRejected = "signature_rejected"
  case backendError = "backend_error"
  case offline
  case unavailable
  case storageFull = "storage_full"
  case timeout

  /// The code as a problem contains it.
  package var text: String { self == .maskNotHeld ? Self.notReplayable.rawValue : rawValue }

  /// The status of a response with the code.
  package var status: Int {
    switch self {
    case .invalidRequest, .invalidRecording: 400
    case .noDevice, .signedOut, .accessRequired: 401
    case .originRefused, .featureDisabled, .notReplayable, .roleRefused: 403
    case .notFound: 404
    case .methodNotAllowed: 405
    case .conflict, .sessionEnded, .unsyncedEdits, .accountTaken, .maskNotHeld: 409
    case .payloadTooLarge: 413
    case .unsupportedMediaType: 415
    case .invalidIdentifier, .loginCodeInvalid, .passwordInvalid, .loginLinkInvalid, .linkMalformed, .linkUntrusted,
      .confirmationMismatch,
      .accountRefused,
      .requestRefused:
      422
    case .tooManyAttempts, .cooldown, .tooManyStreams: 429
    case .internalError, .exportRefused: 500
    case .unexpectedPayload, .pinMismatch, .tlsFailed, .signatureRejected, .backendError: 502
    case .offline, .unavailable, .storageFull: 503
    case .timeout: 504
    }
  }
}

extension [ProblemCode] {
  /// The codes of a route that calls the backend; a rejection by the backend never becomes one of the console's own codes.
  static var backend: [ProblemCode] {
    [
      .notFound, .conflict, .sessionEnded, .tooManyAttempts, .unexpectedPayload, .pinMismatch, .tlsFailed,
      .signatureRejected, .backendError, .offline, .unavailable, .timeout,
    ]
  }

  /// The codes of a route that calls the backend for the signed-in user.
  static var session: [ProblemCode] { backend + [.signedOut] }
}
