/// What the fields of one head say about its host, body and connection (RFC 9112 §3.2, §6, §9).
struct FramingFields: Sendable {
  /// How many `Host` lines came.
  private(set) var hosts = 0
  /// Whether `Connection` has `close`.
  private(set) var hasClose = false
  /// Whether `Connection` has `keep-alive`.
  private(set) var hasKeepAlive = false
  /// Whether `Expect: 100-continue` came.
  private(set) var expectsContinue = false
  private var contentLength: UInt64?
  private var isChunked = false

  /// Takes one field by the offsets of its name and value.
  mutating func read(_ bytes: Span<UInt8>, name: Range<Int>, value: Range<Int>) throws(RequestError) {
    let (start, end) = (value.lowerBound, value.upperBound)
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

  /// How the body is delimited.
  func framing(_ version: ProtocolVersion) throws(RequestError) -> RequestFraming {
    if isChunked {
      guard contentLength == nil, version == .http11 else { throw .conflictingFraming }
      return .chunked
    }
    guard let contentLength, contentLength > 0 else { return .none }
    return .length(contentLength)
  }

  /// Digits only; 18 of them always fit, so nothing can overflow.
  private static func length(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) throws(RequestError) -> UInt64 {
    guard start < end else { throw .invalidContentLength }
    var value: UInt64 = 0
    for index in start..<end where !ByteClass.isDigit(bytes[index]) { throw .invalidContentLength }
    guard end - start <= 18 else { throw .contentTooLarge }
    for index in start..<end { value = value * 10 + UInt64(bytes[index] &- 0x30) }
    return value
  }

  /// Exactly `chunked` passes; another coding before one final `chunked` is 501, all else cannot be framed.
  private static func requireChunked(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) throws(RequestError) {
    if RequestLine.matches(bytes, start, end, "chunked", ignoringCase: true) { return }
    var chunked = 0
    var others = 0
    var endsChunked = false
    var isValid = true
    ListGrammar.forEachElement(bytes, start, end) { first, last in
      for index in first..<last where !ByteClass.isToken(bytes[index]) { isValid = false }
      endsChunked = RequestLine.matches(bytes, first, last, "chunked", ignoringCase: true)
      if endsChunked { chunked += 1 } else { others += 1 }
    }
    throw isValid && endsChunked && chunked == 1 && others > 0 ? .unsupportedTransferCoding : .invalidTransferCoding
  }
}
