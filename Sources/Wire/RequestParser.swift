import Text

/// A strict, incremental parser of HTTP/1.1 requests (RFC 9112). The result does not depend on how the bytes are split.
///
/// The caller owns the buffer: it appends received bytes, calls `next` until `needMore`, and may remove the bytes before the
/// position. Internal offsets count from the position, each byte is examined once, and ``HeadBuilder`` creates strings only when
/// a head is complete. A caller that needs no strings calls ``scan(_:at:)``, which uses the same grammar.
package struct RequestParser: Sendable {
  /// A result of the parser.
  package enum Event: Equatable, Sendable {
    /// Nothing complete yet.
    case needMore
    /// A head; its body follows, then `end`.
    case head(RequestHead)
    /// Bytes of the body, as a range of the buffer.
    case body(Range<Int>)
    /// The request is complete; the next call begins another.
    case end
  }

  private enum State: Sendable {
    case idle, requestLine, fields, done
    case fixed(UInt64)
    case chunkSize, chunkEnd, trailers
    case chunkData(UInt64)
    case failed(RequestError)
  }

  private enum Step {
    case needMore, end
    case head(HeadSummary)
    case body(Range<Int>)
  }

  private let limits: RequestLimits
  private var state = State.idle
  /// The number of bytes after the position that were already examined.
  private var scanned = 0
  /// The start of the current line, from the position.
  private var lineStart = 0
  private var line = RequestLine()
  private var fields: [FieldLine] = []
  /// The start of the latest head within the caller's buffer.
  private var headStart = 0
  /// Whether the request line was parsed and the fields are being parsed.
  private var isInFields = false
  private var trailerFields = 0
  private var extensionBytes = 0

  package init(limits: RequestLimits = RequestLimits()) {
    self.limits = limits
  }

  /// Whether no byte of another request was consumed since the last one ended.
  package var isBetweenRequests: Bool {
    if case .idle = state { return true }
    return false
  }

  /// Returns the next event at `position` and advances the position.
  ///
  /// Throws the reason for a rejection; further calls throw the same.
  package mutating func next(in input: [UInt8], at position: inout Int) throws(RequestError) -> Event {
    do {
      let bytes = input.span
      return switch try advance(bytes, &position) {
      case .needMore: .needMore
      case .end: .end
      case .body(let range): .body(range)
      case .head(let summary): .head(try HeadBuilder.head(bytes, base: headStart, line: line, lines: fields, summary))
      }
    } catch {
      state = .failed(error)
      throw error
    }
  }

  /// Looks for a head at `position` without creating strings; returns nil if it is not complete.
  ///
  /// Use a separate parser that starts between two requests. Call ``reset()`` before the first call and after a nil result or an
  /// error. A head that announces a body must be the last one.
  package mutating func scan(
    _ input: UnsafeBufferPointer<UInt8>, at position: inout Int
  ) throws(RequestError) -> HeadSummary? {
    if case .done = state { state = .idle }
    switch try advance(input.span, &position) {
    case .head(let summary): return summary
    case .needMore, .end, .body: return nil
    }
  }

  /// Discards the state of an incomplete request.
  package mutating func reset() { state = .idle }

  /// Calls `body` with a view of the latest head, whose bytes must still be in `input`.
  package func withView<Answer>(
    of input: UnsafeBufferPointer<UInt8>, _ body: (borrowing RequestView) -> Answer
  ) -> Answer {
    fields.withUnsafeBufferPointer { body(RequestView(bytes: input, base: headStart, line: line, fields: $0)) }
  }

  /// Returns the latest head with its strings.
  package func head(in input: UnsafeBufferPointer<UInt8>, _ summary: HeadSummary) throws(RequestError) -> RequestHead {
    try HeadBuilder.head(input.span, base: headStart, line: line, lines: fields, summary)
  }

  /// The parsed part of the incomplete head at `position`; nil if the request line is incomplete.
  package func partialHead(in input: [UInt8], at position: Int) -> PartialHead? {
    isInFields ? HeadBuilder.partialHead(input.span, base: position, line: line, lines: fields) : nil
  }

  private mutating func advance(_ bytes: Span<UInt8>, _ position: inout Int) throws(RequestError) -> Step {
    while true {
      switch state {
      case .failed(let error):
        throw error
      case .idle:
        guard try start(bytes, &position) else { return .needMore }
        state = .requestLine
      case .requestLine:
        guard let end = try endOfLine(bytes, position, limits.requestLine, .requestLineTooLong) else { return .needMore }
        line = try RequestLine(bytes, position, end, base: position)
        isInFields = true
        state = .fields
      case .fields:
        guard let summary = try readFields(bytes, &position) else { return .needMore }
        switch summary.framing {
        case .none: state = .done
        case .length(let count): state = .fixed(count)
        case .chunked: state = .chunkSize
        }
        return .head(summary)
      case .done:
        state = .idle
        return .end
      case .fixed(let remaining):
        guard let range = take(bytes, &position, remaining) else { return .needMore }
        let rest = remaining - UInt64(range.count)
        state = rest == 0 ? .done : .fixed(rest)
        return .body(range)
      case .chunkSize:
        guard let end = try endOfLine(bytes, position, limits.chunkLine, .malformedChunk) else { return .needMore }
        let chunk = try ChunkLine(bytes, position, end)
        extensionBytes += chunk.extensionBytes
        guard extensionBytes <= limits.chunkExtensions else { throw .malformedChunk }
        consumeLine(&position)
        state = chunk.size == 0 ? .trailers : .chunkData(chunk.size)
      case .chunkData(let remaining):
        guard let range = take(bytes, &position, remaining) else { return .needMore }
        let rest = remaining - UInt64(range.count)
        state = rest == 0 ? .chunkEnd : .chunkData(rest)
        return .body(range)
      case .chunkEnd:
        guard bytes.count > position else { return .needMore }
        guard bytes[position] == 0x0D else { throw .malformedChunk }
        guard bytes.count > position + 1 else { return .needMore }
        guard bytes[position + 1] == 0x0A else { throw .malformedChunk }
        position += 2
        state = .chunkSize
      case .trailers:
        guard try readTrailers(bytes, &position) else { return .needMore }
        state = .done
      }
    }
  }

  /// Skips one empty line before a request (RFC 9112 §2.2) and checks that the first byte can begin a method.
  private mutating func start(_ bytes: Span<UInt8>, _ position: inout Int) throws(RequestError) -> Bool {
    guard bytes.count > position else { return false }
    if bytes[position] == 0x0D {
      guard bytes.count > position + 1 else { return false }
      guard bytes[position + 1] == 0x0A else { throw .malformedRequestLine }
      guard bytes.count > position + 2 else { return false }
      position += 2
    }
    guard ASCII.isToken(bytes[position]) else { throw .malformedRequestLine }
    scanned = 0
    lineStart = 0
    isInFields = false
    fields.removeAll(keepingCapacity: true)
    trailerFields = 0
    extensionBytes = 0
    return true
  }

  private mutating func readFields(_ bytes: Span<UInt8>, _ position: inout Int) throws(RequestError) -> HeadSummary? {
    while true {
      let start = position + lineStart
      guard let end = try endOfLine(bytes, position, limits.head - 2, .headTooLarge) else { return nil }
      if end == start {
        let summary = try HeadSummary(bytes, base: position, line: line, lines: fields)
        isInFields = false
        headStart = position
        consumeLine(&position)
        return summary
      }
      guard fields.count < limits.fields else { throw .headTooLarge }
      fields.append(try FieldLine(bytes, start, end, base: position))
    }
  }

  private mutating func readTrailers(_ bytes: Span<UInt8>, _ position: inout Int) throws(RequestError) -> Bool {
    while true {
      let start = position + lineStart
      guard let end = try endOfLine(bytes, position, limits.trailers, .malformedTrailer) else { return false }
      if end == start {
        consumeLine(&position)
        return true
      }
      trailerFields += 1
      guard trailerFields <= limits.trailerFields else { throw .malformedTrailer }
      let trailer = try FieldLine(bytes, start, end, base: 0)
      guard !HeadBuilder.isForbiddenInTrailers(bytes, trailer.name) else { throw .malformedTrailer }
    }
  }

  /// Finds the CRLF of the current line. Returns the end of the line and advances to the next one; nil if there is no CRLF yet.
  ///
  /// `limit` counts from the position to the end of the line, so the result does not depend on how the bytes are split.
  private mutating func endOfLine(
    _ bytes: Span<UInt8>, _ position: Int, _ limit: Int, _ tooLong: RequestError
  ) throws(RequestError) -> Int? {
    var cursor = position + scanned
    let count = bytes.count
    while cursor < count, bytes[cursor] != 0x0A { cursor += 1 }
    scanned = cursor - position
    guard cursor < count else {
      if scanned > limit + 1 { throw tooLong }
      return nil
    }
    guard cursor - position <= limit + 1 else { throw tooLong }
    guard scanned > lineStart, bytes[cursor - 1] == 0x0D else {
      if case .requestLine = state { throw .malformedRequestLine }
      if case .chunkSize = state { throw .malformedChunk }
      throw .malformedField
    }
    scanned += 1
    lineStart = scanned
    return cursor - 1
  }

  private mutating func consumeLine(_ position: inout Int) {
    position += lineStart
    scanned = 0
    lineStart = 0
  }

  private func take(_ bytes: Span<UInt8>, _ position: inout Int, _ wanted: UInt64) -> Range<Int>? {
    let available = bytes.count - position
    guard available > 0 else { return nil }
    let count = wanted < UInt64(available) ? Int(wanted) : available
    defer { position += count }
    return position..<(position + count)
  }
}

/// Limits of the request parser.
package struct RequestLimits: Equatable, Sendable {
  /// Bytes of the request line, without its CRLF; more is 414.
  package var requestLine = 8192
  /// Bytes of the whole head; more is 431.
  package var head = 65_536
  /// Field lines of the head; more is 431.
  package var fields = 100
  /// Bytes of one chunk's size line with its extensions.
  package var chunkLine = 256
  /// Bytes of all chunk extensions of one body.
  package var chunkExtensions = 4096
  /// Bytes of the trailer section.
  package var trailers = 8192
  /// Field lines of the trailer section.
  package var trailerFields = 32

  package init() {}
}
