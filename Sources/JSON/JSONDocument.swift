/// A parsed JSON document with the position of every value in its bytes.
package struct JSONDocument: Sendable {
  private let tape: JSONTape

  /// Parses a document (RFC 8259) strictly.
  ///
  /// Refuses invalid UTF-8, a byte order mark, duplicate keys, lone surrogates, trailing bytes and more than `maximumDepth` nested objects
  /// and arrays. Does not recurse; time and memory are linear in the size of the input.
  package init(parsing bytes: [UInt8], maximumDepth: Int = 64) throws(JSONError) {
    var scanner = JSONScanner(bytes: bytes, maximumDepth: maximumDepth)
    try scanner.scanDocument()
    tape = JSONTape(bytes: bytes, entries: scanner.entries)
  }

  /// The document's value.
  package var root: JSONNode { JSONNode(tape: tape, index: 0) }
  /// The source of the document.
  package var bytes: [UInt8] { tape.bytes }
  /// Every value and key in the order of the source: the root first, a key before its value.
  package var tokens: [JSONToken] { tape.entries }

  /// The unescaped text of a string or key, or the source of another value.
  package func text(of token: JSONToken) -> String {
    guard token.kind == .string else { return String(decoding: bytes[token.start..<token.end], as: UTF8.self) }
    let text = bytes[(token.start + 1)..<(token.end - 1)]
    return token.isEscaped ? JSONStringText.unescaped(text) : String(decoding: text, as: UTF8.self)
  }
}
