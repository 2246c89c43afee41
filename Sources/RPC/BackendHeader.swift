package import HTTPTypes

/// The header fields that the backend and its clients exchange.
extension HTTPField.Name {
  /// `X-Request-ID`.
  package static let requestID = constant("X-Request-ID")
  /// `X-Device-ID`.
  package static let deviceID = constant("X-Device-ID")
  /// `Idempotency-Key`.
  package static let idempotencyKey = constant("Idempotency-Key")
  /// `X-Api-Id`.
  package static let apiID = constant("X-Api-Id")
  /// `X-Nonce`.
  package static let nonce = constant("X-Nonce")
  /// `X-Signature`.
  package static let signature = constant("X-Signature")

  /// The name that a literal states; traps if it is none.
  private static func constant(_ name: StaticString) -> HTTPField.Name {
    guard let name = HTTPField.Name(name.description) else { preconditionFailure("\(name) is no field name") }
    return name
  }
}
