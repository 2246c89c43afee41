/// A failure of the network layer, without status codes or technical text (seed-rules A-56 "no status code").
package enum CallFailure: Error, Hashable, Sendable {
  case offline
  case timeout
  case unavailable(retryAfterSeconds: Int? = nil)
  case rateLimited(retryAfterSeconds: Int?)
  case forbidden
  case notFound
  case conflict
  case unexpectedPayload
  case pinMismatch
  case tlsFailed
  case signatureRejected
  case unauthorized
  case cancelled
  case backendError
}
