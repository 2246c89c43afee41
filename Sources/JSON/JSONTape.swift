/// The bytes of a scanned document and its tokens.
final class JSONTape: Sendable {
  /// The source of the document.
  let bytes: [UInt8]
  /// The values and keys in the order of the source: the root first, a key before its value.
  let entries: [JSONToken]

  init(bytes: [UInt8], entries: [JSONToken]) {
    self.bytes = bytes
    self.entries = entries
  }
}

/// A value or key of a document; cheaper than `JSONNode` for code that walks a large document.
package struct JSONToken: Sendable {
  /// The kind of the value; `.string` for a key.
  package let kind: JSONNode.Kind
  /// The offset of the first byte.
  package let start: Int
  /// The offset after the last byte.
  package internal(set) var end: Int
  /// The number of members or elements.
  package internal(set) var count = 0
  /// The index of the token after this value and everything inside it.
  package internal(set) var next: Int
  /// Whether a string contains an escape.
  package internal(set) var isEscaped = false
}
