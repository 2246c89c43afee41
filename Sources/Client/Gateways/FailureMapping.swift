package import Domain
import RPC

/// The one translation from the network's failures to those of the features (seed 002 §5).
extension CallFailure {
  /// What a network failure is to a feature, where the feature has no word of its own for it.
  package init(_ error: NetworkError) {
    self =
      switch error {
      case .unauthorized: .unauthorized
      case .forbidden: .forbidden
      case .notFound: .notFound
      case .rateLimited(let seconds, _): .rateLimited(retryAfterSeconds: seconds)
      case .rejected(409, _): .conflict
      case .rejected(401, _): .unauthorized
      case .rejected: .backendError
      case .server(502), .server(503), .server(504): .unavailable
      case .server: .backendError
      case .transport, .offline, .connectionLost: .offline
      case .unexpectedPayload: .unexpectedPayload
      case .timeout: .timeout
      case .cancelled: .cancelled
      case .pinMismatch: .pinMismatch
      case .tlsFailed: .tlsFailed
      case .signatureRejected: .signatureRejected
      case .sessionEnded: .unauthorized
      case .storageFull: .unavailable
      }
  }
}

extension AuthError {
  /// What a network failure is to a login step.
  package init(_ error: NetworkError) {
    self =
      switch (error, error.backendCode) {
      case (.rateLimited(let seconds, _), _): .tooManyAttempts(retryAfterSeconds: seconds)
      case (_, BackendErrorCode.loginCodeInvalid): .loginCodeInvalid
      case (_, BackendErrorCode.loginLinkInvalid): .loginLinkInvalid
      case (.rejected(400, _), BackendErrorCode.invalidIdentifier): .invalidIdentifier
      case (.sessionEnded, _): .sessionEnded
      case (.storageFull, _): .storageFull
      default: .failed(CallFailure(error))
      }
  }
}

extension AccountError {
  /// What a network failure is to an account call.
  ///
  /// `unauthorized` is a session that the backend does not accept but has not ended; that nobody is signed in is
  /// known before a call goes out.
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
