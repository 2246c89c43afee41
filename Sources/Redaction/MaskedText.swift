/// A text with its secrets masked.
package struct MaskedText: Equatable, Sendable {
  /// The text, with a tag in place of each secret.
  package var text: String
  /// The number of replaced secrets of each kind.
  package var counts: [SecretKind: Int] = [:]

  /// Appends another masked text.
  mutating func add(_ other: MaskedText) {
    text += other.text
    counts.merge(other.counts, uniquingKeysWith: +)
  }
}

/// The origin of a text, which determines what is masked.
package enum MaskContext: Equatable, Sendable {
  /// A login, refresh or logout call: login codes are masked too.
  case authentication
  /// Any other request whose address names a sign-in: a `code` of digits is a login code.
  case signInRequest
  /// Any other call: numbers that happen to equal a code stay readable.
  case general
}
