/// One value or key of a document, in the order of the text; for readers that go through large documents without a node a value.
package struct JSONToken: Sendable {
  /// What the value is; `.string` for a key.
  package let kind: JSONNode.Kind
  /// The first byte.
  package let start: Int
  /// One beyond the last byte.
  package internal(set) var end: Int
  /// The number of members or elements.
  package internal(set) var count = 0
  /// The index of the token that follows this value and everything within.
  package internal(set) var next: Int
  /// Whether a string has an escape, so that its value differs from its text.
  package internal(set) var isEscaped = false
}
