import BackendFile
import FoundationEssentials
import RPC

/// Why an attempt failed, and whether a retry may succeed.
struct AttemptFailure: Error, Hashable, Sendable {
  /// The error that the caller gets.
  let error: NetworkError
  /// Whether the cause may go away by itself.
  let isTransient: Bool
  /// The `Retry-After` of the response, in seconds.
  let retryAfterSeconds: Int?

  /// A failure that a retry cannot fix.
  init(_ error: NetworkError) {
    self.error = error
    isTransient = false
    retryAfterSeconds = nil
  }

  init(_ error: NetworkError, isTransient: Bool, retryAfterSeconds: Int?) {
    self.error = error
    self.isTransient = isTransient
    self.retryAfterSeconds = retryAfterSeconds
  }

  /// A failure of the transport.
  init(transport error: TransportError) {
    self.error = NetworkError(error)
    isTransient = RetryPlan.isRetryable(error)
    retryAfterSeconds = nil
  }

  /// A response with an error status; `wall` is the client's clock on arrival, in Unix seconds.
  init(_ answer: AttemptResponse, wall: Int64) {
    let status = answer.response.status
    let seconds = RetryAfter.seconds(in: answer.response.headers, wall: wall) ?? answer.error?.retryAfterSeconds
    if let reading = answer.reading, let failure = reading.failure {
      self.init(
        failure, reading, retryAfterSeconds: seconds ?? failure.wait.flatMap(RetryAfter.wait), wall: wall)
      return
    }
    self.init(
      NetworkError(status: status, code: answer.backendCode, retryAfterSeconds: seconds, wall: wall),
      isTransient: RetryPlan.isRetryable(status: status, code: answer.backendCode), retryAfterSeconds: seconds)
  }
}

extension NetworkError {
  /// Maps a transport error.
  package init(_ error: TransportError) {
    self =
      switch error {
      case .offline: .offline
      case .timedOut: .timeout
      case .connectionLost(let processed): .connectionLost(mayHaveBeenProcessed: processed)
      case .tls: .tlsFailed
      case .pinMismatch(let presented): .pinMismatch(presented: presented)
      case .cancelled: .cancelled
      case .responseTooLarge: .unexpectedPayload(.tooLarge)
      case .malformedResponse: .unexpectedPayload(.notHTTP)
      case .invalidURL: .transport("invalid_url")
      }
  }

  /// Maps an error status, by the backend's code first; `wall`, in Unix seconds, is when `retryAfterSeconds` started.
  init(status: Int, code: String?, retryAfterSeconds: Int? = nil, wall: Int64 = 0) {
    self =
      switch (status, code) {
      case (429, _), (400...499, BackendErrorCode.tooManyAttempts):
        .rateLimited(
          retryAfterSeconds: retryAfterSeconds,
          retryAt: retryAfterSeconds.map { Date(timeIntervalSince1970: Double(wall) + Double($0)) })
      case (401, nil): .unauthorized
      case (403, _): .forbidden(code: code)
      case (404, _): .notFound(code: code)
      case (408, _): .timeout
      case (400...499, _): .rejected(status: status, code: code)
      case (500...599, _): .server(statusCode: status, retryAfterSeconds: retryAfterSeconds)
      default: .unexpectedPayload(.unexpected(status: status))
      }
  }
}
