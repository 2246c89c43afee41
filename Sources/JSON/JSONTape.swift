/// A scanned document: its bytes and one token a value, keys before their values, in the order of the text.
final class JSONTape: Sendable {
  /// The document.
  let bytes: [UInt8]
  /// The values, the root first.
  let entries: [JSONToken]

  /// What a scanner found.
  init(bytes: [UInt8], entries: [JSONToken]) {
    self.bytes = bytes
    self.entries = entries
  }
}
