/// A parsed JSON document with the position of every value in its bytes.
///
/// Code that visits many values names them by the indices of their tokens and allocates nothing for each; a `JSONNode` is one value.
package final class JSONDocument: Sendable {
  /// The source of the document.
  package let bytes: [UInt8]
  /// Every value and key in the order of the source: the root first, a key before its value.
  package let tokens: [JSONToken]

  /// Parses a document (RFC 8259) strictly.
  ///
  /// Rejects invalid UTF-8, a byte order mark, duplicate keys, lone surrogates, trailing bytes and more than `maximumDepth`
  /// nested objects and arrays. Does not recurse; time and memory are linear in the size of the input.
  package init(parsing bytes: [UInt8], maximumDepth: Int = 64) throws(JSONError) {
    tokens = try bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
      var scanner = JSONScanner(bytes: bytes, maximumDepth: maximumDepth)
      try scanner.scanDocument()
      return scanner.entries
    }
    self.bytes = bytes
  }

  /// The document's value.
  package var root: JSONNode { node(0) }

  package subscript(index: Int) -> JSONToken { tokens[index] }

  /// The value or key of a token.
  package func node(_ index: Int) -> JSONNode { JSONNode(document: self, index: index) }

  /// The unescaped text of a string or key, or the source of another value.
  package func text(_ index: Int) -> String { text(of: tokens[index]) }

  /// The unescaped text of a string or key, or the source of another value.
  package func text(of token: JSONToken) -> String {
    guard token.kind == .string else { return String(decoding: bytes[token.range], as: UTF8.self) }
    let text = bytes[token.plainRange]
    return token.isEscaped ? JSONStringText.unescaped(text) : String(decoding: text, as: UTF8.self)
  }

  /// The text of a string; nil for other kinds.
  package func string(_ index: Int?) -> String? {
    guard let index, tokens[index].kind == .string else { return nil }
    return text(index)
  }

  /// Whether the value is `true`.
  package func isTrue(_ index: Int?) -> Bool {
    guard let index, tokens[index].kind == .bool else { return false }
    return bytes[tokens[index].start] == UInt8(ascii: "t")
  }

  /// The value of a member; nil if there is none or the value is not an object.
  package func member(_ name: String, of object: Int?) -> Int? {
    guard let object, tokens[object].kind == .object else { return nil }
    var text = name
    return text.withUTF8 { plain in
      tokens.withUnsafeBufferPointer { tokens in
        bytes.withUnsafeBufferPointer { bytes in
          let end = tokens[object].next
          var key = object + 1
          while key < end {
            let token = tokens[key]
            if token.isEscaped ? isEscaped(token, name) : Self.isPlain(token, bytes, plain) { return key + 1 }
            key = tokens[key + 1].next
          }
          return nil
        }
      }
    }
  }

  /// Whether a key without escapes has these bytes.
  private static func isPlain(
    _ token: JSONToken, _ bytes: UnsafeBufferPointer<UInt8>, _ text: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    let start = token.start + 1
    guard token.end - 1 - start == text.count else { return false }
    for index in 0..<text.count where bytes[start + index] != text[index] { return false }
    return true
  }

  /// Whether a key with escapes has the bytes of the text.
  private func isEscaped(_ token: JSONToken, _ text: String) -> Bool {
    // An escape takes at most six bytes for each byte.
    guard token.plainRange.count > text.utf8.count, token.plainRange.count / 6 <= text.utf8.count else { return false }
    return self.text(of: token).utf8.elementsEqual(text.utf8)
  }

  /// The members of an object; empty for other kinds.
  package func members(of object: Int?) -> [(key: Int, value: Int)] {
    guard let object, tokens[object].kind == .object else { return [] }
    return children(of: object).map { ($0, $0 + 1) }
  }

  /// The elements of an array; empty for other kinds.
  package func elements(of array: Int?) -> [Int] {
    guard let array, tokens[array].kind == .array else { return [] }
    return Array(children(of: array))
  }

  /// The elements of an array or the keys of an object, each before its value; empty for other kinds.
  func children(of container: Int) -> JSONChildren { JSONChildren(tokens, of: container) }
}

/// A value or key of a document.
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

  /// The range in the document, with quotes and brackets.
  @inlinable package var range: Range<Int> { start..<end }
  /// The range of a string or key without its quotes.
  @inlinable package var plainRange: Range<Int> { (start + 1)..<(end - 1) }
}

/// The indices of an array's elements or an object's keys; allocates nothing.
struct JSONChildren: Sequence, IteratorProtocol {
  private let tokens: [JSONToken]
  private let isObject: Bool
  private let end: Int
  private var child: Int
  let underestimatedCount: Int

  init(_ tokens: [JSONToken], of container: Int) {
    self.tokens = tokens
    let token = tokens[container]
    isObject = token.kind == .object
    end = token.next
    child = container + 1
    underestimatedCount = token.count
  }

  mutating func next() -> Int? {
    guard child < end else { return nil }
    defer { child = tokens[isObject ? child + 1 : child].next }
    return child
  }
}
