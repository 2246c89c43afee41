package import FoundationEssentials

/// The only error that the API client throws (seed-rules N-95 "throws only"); it contains no text from the backend and no secret.
package enum NetworkError: Error, Hashable, Sendable {
  /// No user is signed in, or the backend rejects the access token without ending the session.
  case unauthorized
  /// 403, with the backend's code if it sent one.
  case forbidden(code: String?)
  /// 404, with the backend's code if it sent one.
  case notFound(code: String?)
  /// 429, with the seconds to wait and the instant on this machine's wall clock when they end, if the backend sent
  /// `Retry-After`.
  case rateLimited(retryAfterSeconds: Int?, retryAt: Date?)
  /// Any other 4xx, with the backend's code if it sent one.
  case rejected(status: Int, code: String?)
  /// 5xx, or a response to a refresh that does not concern the refresh token (404, 409), with the seconds to wait if the backend
  /// sent `Retry-After`.
  case server(statusCode: Int, retryAfterSeconds: Int? = nil)
  /// The transport failed in a way that has no case of its own.
  case transport(String)
  /// The response does not match the endpoint's type, with the mismatch.
  case unexpectedPayload(PayloadMismatch)
  /// The backend cannot be reached: no network, no host or no listener.
  case offline
  /// The call timed out.
  case timeout
  /// The connection ended before the response; the request may have been processed.
  case connectionLost(mayHaveBeenProcessed: Bool)
  /// The caller's task was canceled.
  case cancelled
  /// No certificate of the verified chain is pinned; contains the pins that were presented, which are public.
  case pinMismatch(presented: [String])
  /// No trusted TLS connection could be made.
  case tlsFailed
  /// The backend rejects the signature even after the clock was corrected.
  case signatureRejected
  /// The session that the call belonged to is over.
  case sessionEnded
  /// The tokens could not be saved.
  case storageFull
  /// The required data could not be stored before the call, so that nothing was sent.
  case storageUnavailable
}

extension NetworkError {
  /// The backend's error code, if the error has one.
  package var backendCode: String? {
    switch self {
    case .forbidden(let code), .notFound(let code), .rejected(_, let code): code
    default: nil
    }
  }

  /// How long the backend asks to wait, in seconds; nil if it does not.
  package var retryAfterSeconds: Int? {
    switch self {
    case .rateLimited(let seconds, _), .server(_, let seconds): seconds
    default: nil
    }
  }

  /// A stable identifier for rows, states and logs.
  package var word: String {
    switch self {
    case .unauthorized: "unauthorized"
    case .forbidden: "forbidden"
    case .notFound: "not_found"
    case .rateLimited: "rate_limited"
    case .rejected: "rejected"
    case .server: "server_error"
    case .transport: "transport"
    case .unexpectedPayload: "unexpected_payload"
    case .offline: "offline"
    case .timeout: "timeout"
    case .connectionLost: "connection_lost"
    case .cancelled: "cancelled"
    case .pinMismatch: "pin_mismatch"
    case .tlsFailed: "tls_failed"
    case .signatureRejected: "signature_rejected"
    case .sessionEnded: "session_ended"
    case .storageFull: "storage_full"
    case .storageUnavailable: "storage_unavailable"
    }
  }
}
