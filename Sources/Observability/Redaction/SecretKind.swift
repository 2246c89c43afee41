/// What a masked value was; the word in its tag.
package enum SecretKind: String, CaseIterable, Codable, Hashable, Sendable {
  /// An access, refresh, magic-link or other bearer token.
  case token
  /// A one-time login code.
  case code
  /// A whole magic link.
  case link
  /// An email address.
  case email
  /// A phone number.
  case phone
  /// What a user signs in with, of a form not known further, or a device's id.
  case identifier
  /// A request's signature.
  case signature
  /// An API key or id, device key, idempotency key or password.
  case key
  /// A payment card's number.
  case card
  /// The value of a header that is not known to be harmless.
  case header
}
