import FoundationEssentials
import HTTPTypes

/// Why an attempt brought no result, and whether another one may.
struct AttemptFailure: Error, Hashable, Sendable {
  /// What the caller is told in the end.
  let error: NetworkError
  /// Whether the reason may have passed by itself.
  let isTransient: Bool
  /// What the backend asks to wait, in seconds.
  let retryAfterSeconds: Int?

  /// A failure that no other attempt can change.
  init(_ error: NetworkError) {
    self.error = error
    isTransient = false
    retryAfterSeconds = nil
  }

  /// A failure below HTTP.
  init(transport error: TransportError) {
    self.error = NetworkError(error)
    isTransient = RetryPlan.isRetryable(error)
    retryAfterSeconds = nil
  }

  /// An answer that is not a success; `wall` is the own clock in unix seconds, when it came.
  init(_ answer: AttemptResponse, wall: Int64) {
    let status = answer.response.status
    let seconds = RetryAfter.seconds(in: answer.response.headers, wall: wall)
    error = NetworkError(status: status, code: answer.backendCode, retryAfterSeconds: seconds, wall: wall)
    isTransient = RetryPlan.isRetryable(status: status)
    retryAfterSeconds = seconds
  }
}

extension NetworkError {
  /// What a failure below HTTP is to the caller.
  init(_ error: TransportError) {
    self =
      switch error {
      case .offline: .offline
      case .timedOut: .timeout
      case .connectionLost(let processed): .connectionLost(mayHaveBeenProcessed: processed)
      case .tls: .tlsFailed
      case .pinMismatch(let presented): .pinMismatch(presented: presented)
      case .cancelled: .cancelled
      case .responseTooLarge, .malformedResponse: .unexpectedPayload
      case .invalidURL: .transport("invalid_url")
      }
  }

  /// What a status that is not a success is to the caller; `wall`, in unix seconds, is when `retryAfterSeconds` began.
  init(status: Int, code: String?, retryAfterSeconds: Int? = nil, wall: Int64 = 0) {
    self =
      switch status {
      case 401: code == nil ? .unauthorized : .rejected(status: 401, code: code)
      case 403: .forbidden(code: code)
      case 404: .notFound(code: code)
      case 408: .timeout
      case 429:
        .rateLimited(
          retryAfterSeconds: retryAfterSeconds,
          retryAt: retryAfterSeconds.map { Date(timeIntervalSince1970: Double(wall) + Double($0)) })
      case 400...499: .rejected(status: status, code: code)
      case 500...599: .server(statusCode: status)
      default: .unexpectedPayload
      }
  }
}
