import Text

/// The fields of a head that concern host, body framing and connection (RFC 9112 §3.2, §6, §9).
struct FramingFields: Sendable {
  /// The number of `Host` lines.
  private(set) var hosts = 0
  /// Whether `Connection` contains `close`.
  private(set) var hasClose = false
  /// Whether `Connection` contains `keep-alive`.
  private(set) var hasKeepAlive = false
  /// Whether `Expect: 100-continue` is present.
  private(set) var expectsContinue = false
  private var contentLength: UInt64?
  private var isChunked = false

  /// Reads one field, given the ranges of its name and value.
  mutating func read(_ bytes: Span<UInt8>, name: Range<Int>, value: Range<Int>) throws(RequestError) {
    let start = value.lowerBound
    let end = value.upperBound
    func isNamed(_ text: StaticString) -> Bool {
      RequestLine.matches(bytes, name.lowerBound, name.upperBound, text, ignoringCase: true)
    }
    switch name.count {
    case 4 where isNamed("host"):
      hosts += 1
      guard hosts == 1, HostGrammar.isValid(bytes, start, end) else { throw .invalidHost }
    case 14 where isNamed("content-length"):
      guard contentLength == nil else { throw .invalidContentLength }
      contentLength = try Self.length(bytes, start, end)
    case 17 where isNamed("transfer-encoding"):
      guard !isChunked else { throw .invalidTransferCoding }
      try Self.requireChunked(bytes, start, end)
      isChunked = true
    case 10 where isNamed("connection"):
      ListGrammar.forEachElement(bytes, start, end) { first, last in
        if RequestLine.matches(bytes, first, last, "close", ignoringCase: true) { hasClose = true }
        if RequestLine.matches(bytes, first, last, "keep-alive", ignoringCase: true) { hasKeepAlive = true }
      }
    case 6 where isNamed("expect"):
      guard RequestLine.matches(bytes, start, end, "100-continue", ignoringCase: true) else { throw .unsupportedExpectation }
      expectsContinue = true
    default: break
    }
  }

  /// The framing of the body.
  func framing(_ version: ProtocolVersion) throws(RequestError) -> RequestFraming {
    if isChunked {
      guard contentLength == nil, version == .http11 else { throw .conflictingFraming }
      return .chunked
    }
    guard let contentLength, contentLength > 0 else { return .none }
    return .length(contentLength)
  }

  /// Parses digits; at most 18, so nothing can overflow.
  private static func length(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) throws(RequestError) -> UInt64 {
    guard start < end else { throw .invalidContentLength }
    var value: UInt64 = 0
    for index in start..<end where !ASCII.isDigit(bytes[index]) { throw .invalidContentLength }
    guard end - start <= 18 else { throw .contentTooLarge }
    for index in start..<end { value = value * 10 + UInt64(bytes[index] &- 0x30) }
    return value
  }

  /// Returns for exactly `chunked`. Throws 501 for another coding before one final `chunked`, and 400 for anything else.
  private static func requireChunked(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) throws(RequestError) {
    if RequestLine.matches(bytes, start, end, "chunked", ignoringCase: true) { return }
    var chunked = 0
    var others = 0
    var endsChunked = false
    var isValid = true
    ListGrammar.forEachElement(bytes, start, end) { first, last in
      for index in first..<last where !ASCII.isToken(bytes[index]) { isValid = false }
      endsChunked = RequestLine.matches(bytes, first, last, "chunked", ignoringCase: true)
      if endsChunked { chunked += 1 } else { others += 1 }
    }
    throw isValid && endsChunked && chunked == 1 && others > 0 ? .unsupportedTransferCoding : .invalidTransferCoding
  }
}
