package import Domain
import RPC

/// The only mapping from network errors to those of the features (seed-rules A-52 "codes become", N-35 "Features see").
extension CallFailure {
  /// Maps a network error for which the feature has no case of its own.
  package init(_ error: NetworkError) {
    self =
      switch (error, error.backendCode) {
      case (.rejected, BackendErrorCode.conflict): .conflict
      case (.rejected, BackendErrorCode.forbidden): .forbidden
      case (.rejected, BackendErrorCode.notFound): .notFound
      case (.rejected, BackendErrorCode.unavailable): .unavailable()
      default: CallFailure(byStatus: error)
      }
  }

  private init(byStatus error: NetworkError) {
    self =
      switch error {
      case .unauthorized: .unauthorized
      case .forbidden: .forbidden
      case .notFound: .notFound
      case .rateLimited(let seconds, _): .rateLimited(retryAfterSeconds: seconds)
      case .rejected(409, _): .conflict
      case .rejected(401, _): .unauthorized
      case .rejected: .backendError
      case .server(502...504, let seconds): .unavailable(retryAfterSeconds: seconds)
      case .server: .backendError
      case .transport, .offline, .connectionLost: .offline
      case .unexpectedPayload: .unexpectedPayload
      case .timeout: .timeout
      case .cancelled: .cancelled
      case .pinMismatch: .pinMismatch
      case .tlsFailed: .tlsFailed
      case .signatureRejected: .signatureRejected
      case .sessionEnded: .unauthorized
      case .storageFull, .storageUnavailable: .unavailable()
      }
  }
}

extension AuthError {
  /// Maps a network error of a login step.
  package init(_ error: NetworkError) {
    self =
      switch (error, error.backendCode) {
      case (.rateLimited(let seconds, _), _): .tooManyAttempts(retryAfterSeconds: seconds)
      case (_, BackendErrorCode.loginCodeInvalid): .loginCodeInvalid
      case (_, BackendErrorCode.loginLinkInvalid): .loginLinkInvalid
      case (_, BackendErrorCode.invalidIdentifier): .invalidIdentifier
      case (.sessionEnded, _): .sessionEnded
      case (.storageFull, _): .storageFull
      default: .failed(CallFailure(error))
      }
  }
}

extension AuthError {
  /// Maps a network error of a sign-in. 403 and 423 reject the account; any other 4xx becomes `refusal`, such as a wrong code.
  package init(_ error: NetworkError, refusal: AuthError) {
    let general = AuthError(error)
    self =
      switch (general, error.refusedStatus) {
      case (.failed, 403), (.failed, 423): .accountRefused
      case (.failed, _?): refusal
      default: general
      }
  }
}

extension NetworkError {
  /// The status of a 4xx response that rejects the sent values; nil for a response about the connection, the limits or the
  /// signature.
  fileprivate var refusedStatus: Int? {
    switch self {
    case .unauthorized: 401
    case .forbidden: 403
    case .notFound: 404
    case .rejected(let status, _): status
    default: nil
    }
  }
}

extension AccountError {
  /// Maps a network error of an account call.
  ///
  /// A signed-in device that gets `unauthorized` has a session that the backend rejects but has not ended; the device checks for
  /// a session before a call is sent.
  package init(_ error: NetworkError, isSignedIn: Bool) {
    self =
      switch (error, error.backendCode) {
      case (.unauthorized, _) where !isSignedIn: .signedOut
      case (.sessionEnded, _): .sessionEnded
      case (_, BackendErrorCode.profileNotFound): .profileNotFound
      default: .failed(CallFailure(error))
      }
  }
}
