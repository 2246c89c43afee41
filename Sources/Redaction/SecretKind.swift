/// The kind of a masked value, which is part of its tag.
package enum SecretKind: String, CaseIterable, Codable, Hashable, Sendable {
  /// An access, refresh, magic-link or other bearer token.
  case token
  /// A one-time login code.
  case code
  /// A complete magic link.
  case link
  /// An email address.
  case email
  /// A phone number.
  case phone
  /// A sign-in name of another form, or a device ID.
  case identifier
  /// A request's signature.
  case signature
  /// An API key or ID, device key, idempotency key or password.
  case key
  /// A payment card number.
  case card
  /// The value of a header that is not known to be harmless.
  case header
  /// A value of an answer with tokens that is not known to be harmless.
  case value
}
