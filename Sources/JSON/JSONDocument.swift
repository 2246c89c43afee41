/// A JSON document that has passed the strict grammar, with the place of every value in its bytes.
package struct JSONDocument: Sendable {
  private let tape: JSONTape

  /// Reads a document (RFC 8259) that must be UTF-8 without a byte order mark, with no key twice in an object, no half surrogate, nothing after its
  /// value and at most `maximumDepth` objects and arrays within each other. Time and memory grow with the input; nothing recurses.
  package init(parsing bytes: [UInt8], maximumDepth: Int = 64) throws(JSONError) {
    var scanner = JSONScanner(bytes: bytes, maximumDepth: maximumDepth)
    try scanner.scanDocument()
    tape = JSONTape(bytes: bytes, entries: scanner.entries)
  }

  /// The document's value.
  package var root: JSONNode { JSONNode(tape: tape, index: 0) }
  /// The document as it was read.
  package var bytes: [UInt8] { tape.bytes }
  /// Every value and key in the order of the text, the root first, a key before its value.
  package var tokens: [JSONToken] { tape.entries }

  /// The characters of a string or key, or the source of any other value, by its token.
  package func text(of token: JSONToken) -> String {
    guard token.kind == .string else { return String(decoding: bytes[token.start..<token.end], as: UTF8.self) }
    let text = bytes[(token.start + 1)..<(token.end - 1)]
    return token.isEscaped ? JSONStringText.unescaped(text) : String(decoding: text, as: UTF8.self)
  }
}
