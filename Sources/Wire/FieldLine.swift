import Text

/// The offsets of a field line's name and value, from the start of its section (RFC 9112 §5).
struct FieldLine: Sendable {
  var name: Range<Int>
  /// The range of the value without surrounding whitespace.
  var value: Range<Int>

  /// Parses the line `bytes[start..<end]`, without its CRLF; rejects folded lines, whitespace before the colon and forbidden
  /// bytes.
  init(_ bytes: Span<UInt8>, _ start: Int, _ end: Int, base: Int) throws(RequestError) {
    var cursor = start
    while cursor < end, ASCII.isToken(bytes[cursor]) { cursor += 1 }
    guard cursor > start, cursor < end, bytes[cursor] == 0x3A else { throw .malformedField }
    name = (start - base)..<(cursor - base)
    cursor += 1
    while cursor < end, ByteClass.isBlank(bytes[cursor]) { cursor += 1 }
    let valueStart = cursor
    var valueEnd = cursor
    while cursor < end {
      let byte = bytes[cursor]
      guard ByteClass.isFieldValue(byte) else { throw .malformedField }
      cursor += 1
      if !ByteClass.isBlank(byte) { valueEnd = cursor }
    }
    value = (valueStart - base)..<(valueEnd - base)
  }
}
