/// A scanned document: its bytes and one entry a value, keys before their values, in the order of the text.
final class JSONTape: Sendable {
  /// One value or key.
  struct Entry: Sendable {
    /// What the value is; `.string` for a key.
    let kind: JSONNode.Kind
    /// The first byte.
    let start: Int
    /// One beyond the last byte.
    var end: Int
    /// The number of members or elements.
    var count = 0
    /// The index of the entry that follows this value and everything within.
    var next: Int
    /// Whether a string has an escape, so that its value differs from its text.
    var isEscaped = false
  }

  /// The document.
  let bytes: [UInt8]
  /// The values, the root first.
  let entries: [Entry]

  /// What a scanner found.
  init(bytes: [UInt8], entries: [Entry]) {
    self.bytes = bytes
    self.entries = entries
  }
}
