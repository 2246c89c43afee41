/// The offsets of one field line's name and value, counted from the start of its section (RFC 9112 §5).
struct FieldLine: Sendable {
  /// The name's span.
  var name: Range<Int>
  /// The value's span without the blanks around it.
  var value: Range<Int>

  /// Reads the line `bytes[start..<end]` (its CRLF left out); refuses folds, blanks before the colon and bytes not allowed.
  init(_ bytes: Span<UInt8>, _ start: Int, _ end: Int, base: Int) throws(RequestError) {
    var cursor = start
    while cursor < end, ByteClass.isToken(bytes[cursor]) { cursor += 1 }
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
