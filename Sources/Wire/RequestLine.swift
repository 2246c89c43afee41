import Text

/// The offsets of a request line's parts within the head (RFC 9112 §3); strings are created when the head is complete.
struct RequestLine: Sendable {
  /// The form of the target.
  enum Form: Sendable { case origin, absolute, asterisk }

  var method: Range<Int> = 0..<0
  /// The range of the scheme, for an absolute target.
  var scheme: Range<Int> = 0..<0
  /// The range of the authority, for an absolute target.
  var authority: Range<Int> = 0..<0
  /// The range of the path; empty if an absolute target has none.
  var path: Range<Int> = 0..<0
  /// The range of the query without `?`; nil if there is none.
  var query: Range<Int>?
  /// The target's form.
  var form = Form.origin
  var version = ProtocolVersion.http11

  init() {}

  /// Parses the line `bytes[start..<end]`, without its CRLF; ranges count from `base`.
  init(_ bytes: Span<UInt8>, _ start: Int, _ end: Int, base: Int) throws(RequestError) {
    var cursor = start
    while cursor < end, ASCII.isToken(bytes[cursor]) { cursor += 1 }
    guard cursor > start, cursor < end, bytes[cursor] == 0x20 else { throw .malformedRequestLine }
    method = (start - base)..<(cursor - base)
    let target = cursor + 1
    cursor = target
    while cursor < end, bytes[cursor] != 0x20 { cursor += 1 }
    guard cursor > target, cursor < end else { throw .malformedRequestLine }
    version = try Self.version(bytes, cursor + 1, end)
    try readTarget(bytes, target, cursor, base)
    let isOptions = Self.matches(bytes, start, target - 1, "OPTIONS")
    if Self.matches(bytes, start, target - 1, "CONNECT") { throw .unsupportedMethod }
    if form == .asterisk, !isOptions { throw .malformedTarget }
  }

  private static func version(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) throws(RequestError) -> ProtocolVersion {
    guard end - start == 8, matches(bytes, start, start + 5, "HTTP/"), ASCII.isDigit(bytes[start + 5]),
      bytes[start + 6] == 0x2E, ASCII.isDigit(bytes[start + 7])
    else { throw .malformedRequestLine }
    guard bytes[start + 5] == 0x31 else { throw .unsupportedVersion }
    return bytes[start + 7] == 0x30 ? .http10 : .http11
  }

  private mutating func readTarget(_ bytes: Span<UInt8>, _ start: Int, _ end: Int, _ base: Int) throws(RequestError) {
    if bytes[start] == 0x2F { return try readPath(bytes, start, end, base) }
    if bytes[start] == 0x2A, end == start + 1 {
      form = .asterisk
      return
    }
    // CONNECT is rejected for its method, whatever its authority is.
    if Self.matches(bytes, method.lowerBound + base, method.upperBound + base, "CONNECT") { throw .unsupportedMethod }
    var cursor = start
    while cursor < end, bytes[cursor] != 0x3A { cursor += 1 }
    guard end - cursor > 3, bytes[cursor + 1] == 0x2F, bytes[cursor + 2] == 0x2F else { throw .malformedTarget }
    guard
      Self.matches(bytes, start, cursor, "http", ignoringCase: true)
        || Self.matches(bytes, start, cursor, "https", ignoringCase: true)
    else { throw .malformedTarget }
    form = .absolute
    scheme = (start - base)..<(cursor - base)
    let authorityStart = cursor + 3
    cursor = authorityStart
    while cursor < end, bytes[cursor] != 0x2F, bytes[cursor] != 0x3F { cursor += 1 }
    guard HostGrammar.isValid(bytes, authorityStart, cursor) else { throw .malformedTarget }
    authority = (authorityStart - base)..<(cursor - base)
    try readPath(bytes, cursor, end, base)
  }

  private mutating func readPath(_ bytes: Span<UInt8>, _ start: Int, _ end: Int, _ base: Int) throws(RequestError) {
    var cursor = start
    while cursor < end, bytes[cursor] != 0x3F {
      guard ByteClass.isPath(bytes[cursor]) || Self.isEscape(bytes, cursor, end) else { throw .malformedTarget }
      cursor += 1
    }
    path = (start - base)..<(cursor - base)
    guard cursor < end else { return }
    let queryStart = cursor + 1
    cursor = queryStart
    while cursor < end {
      guard ByteClass.isQuery(bytes[cursor]) || Self.isEscape(bytes, cursor, end) else { throw .malformedTarget }
      cursor += 1
    }
    query = (queryStart - base)..<(end - base)
  }

  private static func isEscape(_ bytes: Span<UInt8>, _ index: Int, _ end: Int) -> Bool {
    bytes[index] == 0x25 && end - index > 2 && Hex.value(of: bytes[index + 1]) != nil
      && Hex.value(of: bytes[index + 2]) != nil
  }

  /// Whether the bytes equal the ASCII text.
  static func matches(
    _ bytes: Span<UInt8>, _ start: Int, _ end: Int, _ text: StaticString, ignoringCase: Bool = false
  ) -> Bool {
    guard end - start == text.utf8CodeUnitCount else { return false }
    return text.withUTF8Buffer { expected in
      for index in 0..<expected.count {
        let byte = bytes[start + index]
        guard (ignoringCase ? ASCII.lowercased(byte) : byte) == expected[index] else { return false }
      }
      return true
    }
  }
}
