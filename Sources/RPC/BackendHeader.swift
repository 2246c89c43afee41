/// The header fields that the backend and its clients exchange.
package enum BackendHeader {
  package static let requestID = "X-Request-ID"
  package static let deviceID = "X-Device-ID"
  package static let idempotencyKey = "Idempotency-Key"
  package static let apiID = "X-Api-Id"
  package static let nonce = "X-Nonce"
  package static let signature = "X-Signature"
}
