/// Reads HTTP/1.1 requests from bytes as they arrive, strictly (RFC 9112), and says the same whatever the pieces are.
///
/// The caller owns the buffer: it appends what it receives, calls `next` until `needMore`, and may drop what lies before the
/// position. Offsets inside are counted from the position, every byte is looked at once, and strings are made only when a
/// head is whole, by ``HeadBuilder``; who can do without them asks for ``scan(_:at:)`` alone, which is the same grammar.
package struct RequestParser: Sendable {
  /// What was found.
  package enum Event: Equatable, Sendable {
    /// Nothing whole yet.
    case needMore
    /// A head; body bytes follow, then `end`.
    case head(RequestHead)
    /// Bytes of the body, as a range of the buffer.
    case body(Range<Int>)
    /// The request is whole; the next call begins another.
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
  /// Bytes from the position on that were looked at already.
  private var scanned = 0
  /// Where the current line starts, from the position on.
  private var lineStart = 0
  private var line = RequestLine()
  private var fields: [FieldLine] = []
  /// Where the head that was found last begins in the caller's buffer.
  private var headStart = 0
  /// Whether a request line was read and the fields behind it are being read.
  private var isInFields = false
  private var trailerFields = 0
  private var extensionBytes = 0

  /// A parser for one connection.
  package init(limits: RequestLimits = RequestLimits()) {
    self.limits = limits
  }

  /// Whether no byte of a request was taken since the last one ended.
  package var isBetweenRequests: Bool {
    if case .idle = state { return true }
    return false
  }

  /// Looks for the next event at `position` and moves it past what is finished with.
  ///
  /// Throws the reason for a refusal; after it every call throws the same.
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

  /// Looks for a head that begins at `position`, without making anything of it; nil where it is not whole.
  ///
  /// For a parser of its own that reads from between two requests: ``reset()`` comes before the first call and after a nil or
  /// a throw, and nothing can be asked for behind a head that announces a body.
  package mutating func scan(
    _ input: UnsafeBufferPointer<UInt8>, at position: inout Int
  ) throws(RequestError) -> HeadSummary? {
    if case .done = state { state = .idle }
    switch try advance(input.span, &position) {
    case .head(let summary): return summary
    case .needMore, .end, .body: return nil
    }
  }

  /// Forgets what was begun.
  package mutating func reset() { state = .idle }

  /// What a responder may ask about the head that was found last; the bytes must still be there while it is used.
  package func withView<Answer>(
    of input: UnsafeBufferPointer<UInt8>, _ summary: HeadSummary, _ body: (borrowing RequestView) -> Answer
  ) -> Answer {
    fields.withUnsafeBufferPointer { body(RequestView(bytes: input, base: headStart, line: line, fields: $0, summary: summary)) }
  }

  /// The head that was found last, with its strings.
  package func head(in input: UnsafeBufferPointer<UInt8>, _ summary: HeadSummary) throws(RequestError) -> RequestHead {
    try HeadBuilder.head(input.span, base: headStart, line: line, lines: fields, summary)
  }

  /// What was read of the head that begins at `position` and is not whole; nil if not even its request line is there.
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

  /// Skips one empty line before a request (RFC 9112 §2.2) and checks that a method can begin here.
  private mutating func start(_ bytes: Span<UInt8>, _ position: inout Int) throws(RequestError) -> Bool {
    guard bytes.count > position else { return false }
    if bytes[position] == 0x0D {
      guard bytes.count > position + 1 else { return false }
      guard bytes[position + 1] == 0x0A else { throw .malformedRequestLine }
      guard bytes.count > position + 2 else { return false }
      position += 2
    }
    guard ByteClass.isToken(bytes[position]) else { throw .malformedRequestLine }
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

  /// Finds the CRLF of the current line; returns where the line ends and moves on to the next, nil when it is not there yet.
  ///
  /// `limit` counts from the position to the line's end, so the verdict does not depend on how the bytes arrive.
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
