/// A text without its secrets.
package struct MaskedText: Equatable, Sendable {
  /// The text, with a tag in the place of each secret.
  package var text: String
  /// How many secrets of each kind were replaced.
  package var counts: [SecretKind: Int]

  /// A text and what was taken out of it.
  package init(text: String, counts: [SecretKind: Int] = [:]) {
    self.text = text
    self.counts = counts
  }

  /// Puts another masked text behind it.
  mutating func add(_ other: MaskedText) {
    text += other.text
    counts.merge(other.counts, uniquingKeysWith: +)
  }
}

/// Where a text comes from, as far as masking asks.
package enum MaskContext: Equatable, Sendable {
  /// A login, refresh or logout call: login codes are masked too.
  case authentication
  /// Any other call, where a number that happens to equal a code stays readable.
  case general
}
