import Text

/// The size line of a chunk (RFC 9112 §7.1): hexadecimal digits, then extensions, which are checked and ignored.
struct ChunkLine: Sendable {
  /// The size in bytes; 0 for the last chunk.
  var size: UInt64
  /// The number of bytes after the size.
  var extensionBytes: Int

  /// Parses the line `bytes[start..<end]`, without its CRLF.
  init(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) throws(RequestError) {
    var cursor = start
    var value: UInt64 = 0
    while cursor < end, let digit = Hex.value(of: bytes[cursor]) {
      // 15 digits suffice for any allowed body, and sums of them cannot overflow.
      guard cursor - start < 15 else { throw .malformedChunk }
      value = value << 4 | UInt64(digit)
      cursor += 1
    }
    guard cursor > start else { throw .malformedChunk }
    size = value
    extensionBytes = end - cursor
    while cursor < end { cursor = try Self.skipExtension(bytes, cursor, end) }
  }

  /// `BWS ";" BWS token [ BWS "=" BWS ( token / quoted-string ) ]`.
  private static func skipExtension(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) throws(RequestError) -> Int {
    var cursor = skipBlanks(bytes, start, end)
    guard cursor < end, bytes[cursor] == 0x3B else { throw .malformedChunk }
    cursor = try skipToken(bytes, skipBlanks(bytes, cursor + 1, end), end)
    let afterName = skipBlanks(bytes, cursor, end)
    guard afterName < end, bytes[afterName] == 0x3D else { return cursor }
    let value = skipBlanks(bytes, afterName + 1, end)
    guard value < end, bytes[value] == 0x22 else { return try skipToken(bytes, value, end) }
    cursor = value + 1
    while cursor < end, bytes[cursor] != 0x22 {
      if bytes[cursor] == 0x5C { cursor += 1 }
      guard cursor < end, ByteClass.isFieldValue(bytes[cursor]) else { throw .malformedChunk }
      cursor += 1
    }
    guard cursor < end else { throw .malformedChunk }
    return cursor + 1
  }

  private static func skipBlanks(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
    var cursor = start
    while cursor < end, ByteClass.isBlank(bytes[cursor]) { cursor += 1 }
    return cursor
  }

  private static func skipToken(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) throws(RequestError) -> Int {
    var cursor = start
    while cursor < end, ASCII.isToken(bytes[cursor]) { cursor += 1 }
    guard cursor > start else { throw .malformedChunk }
    return cursor
  }
}
