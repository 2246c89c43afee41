import HTTPTypes
import Reactor
import Wire

/// The buffers of one connection: received bytes that are not yet parsed, and responses that are not yet sent.
///
/// Every read first sends the queued responses, so the responses to one batch of requests leave in one write.
///
/// `@unchecked Sendable`: only the thread of the stream's event loop touches it. A lock around each of ten steps took a tenth of
/// the time of a small response.
final class ConnectionIO: @unchecked Sendable {
  /// The progress of the current request's body.
  enum BodyState: Sendable {
    case none, unread, awaitingContinue, reading, finished, failed
  }

  /// If more than this many bytes are queued, they are sent before the next request of a batch is served.
  static let highWater = 65_536
  /// The most bytes for one write call, so that the write timeout bounds a slow reader by its rate.
  private static let slice = 65_536

  private enum Lookahead { case nothing, head, end }

  let stream: any ByteStream
  private let limits: ServerLimits
  private let budget: BodyBudget
  private let metrics: ServerMetrics

  private var parser: RequestParser
  private var buffer: [UInt8] = []
  private var position = 0
  private var output: [UInt8] = []
  /// A shared body that follows the output, from an offset on; it is not copied.
  private var sharedTail: (body: SharedBytes, start: Int)?
  /// A head that was parsed outside the task.
  ///
  /// It is stored apart from the state because testing for an optional head copies it (3 % of the time of a small response).
  private var lookaheadHead: RequestHead?
  private var lookahead = Lookahead.nothing
  private var isReading = false
  private var usesLargeReads = false
  private var sent = 0
  /// A write failed, perhaps in the middle of a response, so that the client would read anything sent later as part of that
  /// response.
  private var isBroken = false

  /// The state of the wait for the next request.
  struct WaitState {
    /// Whether no byte of the request has arrived.
    var isIdle = true
    var start = ContinuousClock.now
    /// When this wait ends.
    var deadline: ContinuousClock.Instant?
    /// When the head must be complete.
    var headDeadline: ContinuousClock.Instant?
    /// When a request may begin at the latest while the server stops.
    var grace: ContinuousClock.Instant?
  }

  var wait = WaitState()
  /// The head of the request to serve next.
  var parsedHead: RequestHead?
  /// The status to reject the next request with.
  var refusal = HTTPResponse.Status.badRequest

  /// The progress of the body, before and after the handler runs.
  var body = BodyState.none
  /// The body's length as announced in the head, if it was.
  var announcedLength: Int?
  /// The bytes of the body that are reserved in the budget.
  private var reservedBodyBytes = 0
  /// The number of requests so far.
  var sequence: UInt64 = 0
  /// When a request last got its response outside the task.
  var lastActivity: ContinuousClock.Instant?

  init(stream: any ByteStream, limits: ServerLimits, budget: BodyBudget, metrics: ServerMetrics) {
    self.stream = stream
    self.limits = limits
    self.budget = budget
    self.metrics = metrics
    parser = RequestParser(limits: limits.request)
  }

  /// Returns the parser's next event.
  func next() throws(RequestError) -> RequestParser.Event {
    switch lookahead {
    case .nothing: return try parser.next(in: buffer, at: &position)
    case .end: lookahead = .nothing
    case .head:
      lookahead = .end
      if let head = lookaheadHead.take() { return .head(head) }
    }
    return .end
  }

  /// The parsed part of a head that was rejected before it was complete.
  var partialHead: PartialHead? { parser.partialHead(in: buffer, at: position) }

  /// Whether no byte of another request has arrived.
  var isIdle: Bool { lookahead == .nothing && parser.isBetweenRequests && position == buffer.count }

  /// Whether nothing is in progress in either direction.
  var isEmpty: Bool { isIdle && !hasOutput && !isReading && !isBroken }

  /// Takes over the bytes read outside the task: an optional head without a body, and the bytes behind it.
  func enqueueReceived(_ bytes: UnsafeRawBufferPointer, _ head: RequestHead?) {
    if head != nil { (self.lookaheadHead, lookahead) = (head, .head) }
    buffer.append(contentsOf: bytes)
  }

  /// Queues the unsent rest of `output` and then `body`, of which the kernel took `sent` bytes.
  func enqueueUnsent(_ output: [UInt8], _ body: SharedBytes?, sent: Int) {
    self.sent += sent
    if sent < output.count { self.output += output[sent...] }
    guard let body, sent < output.count + body.bytes.count else { return }
    sharedTail = (body, max(sent - output.count, 0))
  }

  /// Queues a shared body behind the queued responses; nothing may be queued behind it before it is sent.
  func enqueueUnsent(_ body: SharedBytes) { sharedTail = (body, 0) }

  /// Appends to the queued responses.
  func append<Failure: Error>(_ body: (inout [UInt8]) throws(Failure) -> Void) throws(Failure) { try body(&output) }

  /// The number of queued bytes, shared bodies aside.
  var pending: Int { output.count }

  /// Whether bytes are queued.
  var hasOutput: Bool { !output.isEmpty || sharedTail != nil }

  /// The number of response bytes so far, sent or queued.
  var written: Int { sent + output.count }

  /// Sends the queued bytes, then `body` without copying it. After a failure nothing is sent any more.
  @inline(never)
  nonisolated(nonsending) func flush(then body: [UInt8] = []) async throws(StreamError) {
    guard hasOutput || !body.isEmpty else { return }
    guard !isBroken else {
      (output, sharedTail) = ([], nil)
      throw .closed
    }
    if let (shared, start) = sharedTail {
      sharedTail = nil
      try await send(takeOutput(), shared, from: start)
    }
    if !output.isEmpty || !body.isEmpty { try await send(takeOutput(), body) }
  }

  private func takeOutput() -> [UInt8] {
    defer { output = [] }
    return output
  }

  nonisolated(nonsending) private func send(_ output: [UInt8], _ body: [UInt8]) async throws(StreamError) {
    let total = output.count + body.count
    guard total > 0 else { return }
    // The kernel usually takes everything at once, so try before setting a deadline and suspending.
    let now = output.withUnsafeBytes { head in body.withUnsafeBytes { stream.writeNow(head, $0) } }
    sent += total
    metrics.sent.add(total)
    if now < total {
      try await markingBroken { () throws(StreamError) in
        try await writeSlices(output, from: min(now, output.count))
        try await writeSlices(body, from: max(now - output.count, 0))
      }
    }
    reuseBuffer(output)
  }

  nonisolated(nonsending) private func send(
    _ output: [UInt8], _ body: SharedBytes, from start: Int
  ) async throws(StreamError) {
    let total = output.count + body.bytes.count - start
    let now = start == 0 ? output.withUnsafeBytes { stream.writeNow($0, body) } : 0
    sent += total
    metrics.sent.add(total)
    guard now < total else { return }
    try await markingBroken { () throws(StreamError) in
      try await writeSlices(output, from: min(now, output.count))
      var next = start + max(now - output.count, 0)
      while next < body.bytes.count {
        let end = min(next + Self.slice, body.bytes.count)
        try await stream.write(body, next..<end, deadline: ContinuousClock.now + limits.writeTimeout)
        next = end
      }
    }
  }

  /// Runs a write and marks the connection as broken if it fails.
  nonisolated(nonsending) private func markingBroken(
    _ write: nonisolated(nonsending) () async throws(StreamError) -> Void
  ) async throws(StreamError) {
    do throws(StreamError) {
      try await write()
    } catch {
      isBroken = true
      throw error
    }
  }

  /// Waits between two requests: sends the queued bytes, then waits for bytes that `tryConsume` does not consume. Returns whether
  /// there are bytes to parse.
  ///
  /// See ``ByteStream/waitForBytes(deadline:tryConsume:)``. An idle connection keeps no buffer, and its task only small frames.
  @inline(never)
  nonisolated(nonsending) func waitWhileIdle(
    deadline: ContinuousClock.Instant, tryConsume: @escaping () -> Bool
  ) async throws(StreamError) -> Bool {
    if hasUnsent() { try await flush() }
    try dropBuffers()
    try await stream.waitForBytes(deadline: deadline, tryConsume: tryConsume)
    // Send the bytes that the kernel did not take before further responses.
    guard hasUnsent() else { return hasBegun() }
    try await flush()
    return true
  }

  @inline(never)
  private func hasUnsent() -> Bool { hasOutput }

  @inline(never)
  private func hasBegun() -> Bool { !isIdle }

  @inline(never)
  private func dropBuffers() throws(StreamError) {
    guard !isReading else { throw .closed }
    (buffer, output, position) = ([], [], 0)
  }

  /// Sends the queued bytes, then receives more; returns false at the end of input.
  @inline(never)
  nonisolated(nonsending) func fill(deadline: ContinuousClock.Instant?) async throws(StreamError) -> Bool {
    try await flush()
    guard !isReading else { throw .closed }
    if position > 0 {
      buffer.removeSubrange(..<position)
      position = 0
    }
    isReading = true
    let wanted = usesLargeReads ? 65_536 : 4096
    let outcome: Result<Int, StreamError>
    var received: [UInt8] = []
    swap(&received, &buffer)
    do throws(StreamError) {
      outcome = .success(try await stream.read(into: &received, atMost: wanted, deadline: deadline))
    } catch {
      outcome = .failure(error)
    }
    swap(&received, &buffer)
    isReading = false
    if case .success(let count) = outcome { usesLargeReads = count == wanted }
    let count = try outcome.get()
    metrics.received.add(count)
    return count > 0
  }

  /// Appends a range of the received bytes to `target`.
  private func copyBody(_ range: Range<Int>, to target: inout [UInt8]) { target.append(contentsOf: buffer[range]) }

  nonisolated(nonsending) private func writeSlices(_ bytes: [UInt8], from start: Int) async throws(StreamError) {
    var start = start
    while start < bytes.count {
      let end = min(start + Self.slice, bytes.count)
      try await stream.write(bytes, start..<end, deadline: ContinuousClock.now + limits.writeTimeout)
      start = end
    }
  }

  /// Reuses a small output buffer for the next batch.
  private func reuseBuffer(_ used: consuming [UInt8]) {
    guard used.capacity <= 4096, output.isEmpty else { return }
    var empty = used
    empty.removeAll(keepingCapacity: true)
    output = empty
  }
}

/// Reading and draining a request's body.
extension ConnectionIO {
  /// Reads the whole body on the connection's event loop; see ``RequestBody/collect(upTo:)``.
  func collectBody(upTo limit: Int) async throws(BodyError) -> [UInt8] {
    let outcome: Result<[UInt8], BodyError> = await withTaskExecutorPreference(stream.loop) {
      guard let before = self.beginBody() else { return .failure(.disconnected) }
      let limit = min(limit, self.limits.body)
      do throws(BodyError) {
        // Do not wait for a body whose announced length is over the limit.
        guard self.announcedLength ?? 0 <= limit else { throw .tooLarge }
        return .success(try await self.readBody(before, limit))
      } catch {
        self.body = .failed
        self.releaseBody()
        return .failure(error)
      }
    }
    return try outcome.get()
  }

  /// Reads the whole body in pieces on the connection's event loop; see ``RequestBody/read(upTo:inPiecesOf:_:)``.
  func streamBody(
    upTo limit: Int, inPiecesOf size: Int, _ take: @Sendable @escaping ([UInt8]) async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(stream.loop) {
      guard let before = self.beginBody() else { throw BodyError.disconnected }
      defer { self.releaseBody() }
      do {
        guard self.announcedLength ?? 0 <= limit else { throw BodyError.tooLarge }
        try await self.readBody(before, limit, size, take)
      } catch {
        self.body = .failed
        throw error
      }
    }
  }

  nonisolated(nonsending) private func readBody(
    _ before: BodyState, _ limit: Int, _ size: Int, _ take: @Sendable @escaping ([UInt8]) async throws -> Void
  ) async throws {
    var piece: [UInt8] = []
    var count: Int = 0
    var mustSendContinue = before == .awaitingContinue
    var start = ContinuousClock.now
    while true {
      switch try event() {
      case .body(let range):
        mustSendContinue = false
        count += range.count
        guard count <= limit else { throw BodyError.tooLarge }
        guard reserveBody(range.count) else { throw BodyError.overBudget }
        copyBody(range, to: &piece)
        guard piece.count >= size else { continue }
      case .end:
        if !piece.isEmpty { try await take(piece) }
        body = .finished
        return
      case .head: throw BodyError.malformed
      case .needMore:
        if mustSendContinue {
          append { $0.append(contentsOf: ChunkFraming.continueLine) }
          mustSendContinue = false
        }
        let allowance = limits.bodyTimeout + .milliseconds(count * 1000 / max(limits.bodyRate, 1))
        try await receive(by: start + allowance)
        continue
      }
      let began = ContinuousClock.now
      try await take(piece)
      piece.removeAll(keepingCapacity: true)
      releaseBody()
      // The sender had to wait meanwhile.
      start += ContinuousClock.now - began
    }
  }

  nonisolated(nonsending) private func readBody(_ before: BodyState, _ limit: Int) async throws(BodyError) -> [UInt8] {
    var result: [UInt8] = []
    var mustSendContinue = before == .awaitingContinue
    let start = ContinuousClock.now
    while true {
      switch try event() {
      case .body(let range):
        mustSendContinue = false
        guard result.count + range.count <= limit else { throw .tooLarge }
        guard reserveBody(range.count) else { throw .overBudget }
        copyBody(range, to: &result)
      case .end:
        body = .finished
        return result
      case .head: throw .malformed
      case .needMore:
        if mustSendContinue {
          append { $0.append(contentsOf: ChunkFraming.continueLine) }
          mustSendContinue = false
        }
        // Each received byte extends the deadline by its share, so a sender above the minimum rate is never cut off.
        let allowance = limits.bodyTimeout + .milliseconds(result.count * 1000 / max(limits.bodyRate, 1))
        try await receive(by: start + allowance)
      }
    }
  }

  /// Reserves bytes of the body in the budget; returns false if the budget is exhausted.
  private func reserveBody(_ count: Int) -> Bool {
    guard budget.reserve(count) else { return false }
    reservedBodyBytes += count
    return true
  }

  /// Releases the body's bytes in the budget.
  func releaseBody() {
    guard reservedBodyBytes > 0 else { return }
    budget.release(reservedBodyBytes)
    reservedBodyBytes = 0
  }

  /// Marks the body as being read. Returns its previous state, or nil if it cannot be read.
  private func beginBody() -> BodyState? {
    switch body {
    case .unread, .awaitingContinue:
      defer { body = .reading }
      return body
    case .none, .reading, .finished, .failed: return nil
    }
  }

  /// Discards the rest of the body if it is short. Returns false if it is not, or if the client is too slow.
  nonisolated(nonsending) func drainBody() async -> Bool {
    var dropped = 0
    let deadline = ContinuousClock.now + .seconds(5)
    while dropped <= Self.highWater {
      switch try? next() {
      case .body(let range): dropped += range.count
      case .end: return true
      case .needMore:
        guard (try? await fill(deadline: deadline)) == true else { return false }
      case .head, nil: return false
      }
    }
    return false
  }

  /// Skips the part of the body that has already arrived; returns whether the body is complete.
  func finishBody() -> Bool {
    while true {
      switch try? next() {
      case .body: continue
      case .end: return true
      case .head, .needMore, nil: return false
      }
    }
  }

  private func event() throws(BodyError) -> RequestParser.Event {
    do throws(RequestError) {
      return try next()
    } catch {
      throw error == .contentTooLarge ? .tooLarge : .malformed
    }
  }

  nonisolated(nonsending) private func receive(by deadline: ContinuousClock.Instant) async throws(BodyError) {
    do throws(StreamError) {
      guard try await fill(deadline: deadline) else { throw .closed }
    } catch {
      throw error == .timedOut ? .timedOut : .disconnected
    }
  }
}
