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
