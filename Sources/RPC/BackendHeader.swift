package import HTTPTypes

/// The header fields that the backend and its clients exchange.
extension HTTPField.Name {
  package static let requestID = constant("X-Request-ID")
  package static let deviceID = constant("X-Device-ID")
  package static let idempotencyKey = constant("Idempotency-Key")
  package static let apiID = constant("X-Api-Id")
  package static let nonce = constant("X-Nonce")
  package static let signature = constant("X-Signature")

  /// The name that a literal contains; traps if it is invalid.
  private static func constant(_ name: StaticString) -> HTTPField.Name {
    guard let name = HTTPField.Name(name.description) else { preconditionFailure("\(name) is no field name") }
    return name
  }
}
