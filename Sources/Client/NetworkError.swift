package import FoundationEssentials

/// The only error that leaves the API client (seed 000 §2.3); it carries no text of the backend and no secret.
package enum NetworkError: Error, Hashable, Sendable {
  /// Nobody is signed in, or the backend refuses the access token and says nothing that ends the session.
  case unauthorized
  /// 403; the backend's code where it sent one.
  case forbidden(code: String?)
  /// 404; the backend's code where it sent one.
  case notFound(code: String?)
  /// 429; whole seconds to wait and the instant on this machine's wall clock at which they are over, where the backend said so.
  case rateLimited(retryAfterSeconds: Int?, retryAt: Date?)
  /// Any other refusal (4xx), with the backend's code where it sent one.
  case rejected(status: Int, code: String?)
  /// 5xx.
  case server(statusCode: Int)
  /// The exchange failed below HTTP in a way that has no case of its own.
  case transport(String)
  /// The answer is not what the endpoint promises.
  case unexpectedPayload
  /// The backend cannot be reached: no network, no host, no listener.
  case offline
  /// The time of the call ran out.
  case timeout
  /// The connection ended before the answer; the request may have been carried out all the same.
  case connectionLost(mayHaveBeenProcessed: Bool)
  /// The caller's task was cancelled.
  case cancelled
  /// No certificate of the verified chain is pinned; carries the pins that were presented, which are public.
  case pinMismatch(presented: [String])
  /// No trusted TLS connection could be made.
  case tlsFailed
  /// The backend refuses the signature after the clock was corrected.
  case signatureRejected
  /// The session under which the call began is over.
  case sessionEnded
  /// The tokens could not be written.
  case storageFull
}

extension NetworkError {
  /// The backend's code, where the failure carries one.
  package var backendCode: String? {
    switch self {
    case .forbidden(let code), .notFound(let code), .rejected(_, let code): code
    default: nil
    }
  }

  /// A stable word for rows, states and logs.
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
    }
  }
}
