import HTTPTypes
import Reactor
import Wire

/// The bytes of one connection in both directions: what was received and not yet used, and answers not yet sent.
///
/// Every read sends the waiting answers first, so the answers of one batch of requests leave in one write.
///
/// Unchecked: only the thread of the stream's loop touches it; a lock for each of ten steps was a tenth of a small answer.
final class ConnectionIO: @unchecked Sendable {
  /// How far the current request's body is.
  enum BodyState: Sendable {
    case none, unread, awaitingContinue, reading, finished, failed
  }

  /// Answers above this many bytes are sent before the next request of a batch is looked at.
  static let highWater = 65_536
  /// One write call covers at most this much, so that the stall limit bounds a slow reader by its rate.
  private static let slice = 65_536

  private enum Lookahead { case nothing, head, end }

  let stream: any ByteStream
  let limits: ServerLimits
  private let budget: BodyBudget
  private let metrics: ServerMetrics

  private var parser: RequestParser
  private var buffer: [UInt8] = []
  private var position = 0
  private var output: [UInt8] = []
  /// A body that follows the output, from a place in it on: bytes that others share are not copied.
  private var sharedTail: (body: SharedBytes, start: Int)?
  /// A head that was read outside the task, and whether it, or then the end of its request, is the parser's next event.
  ///
  /// Beside it, because to look whether a head is there costs a copy of it (3 % of a small answer's time).
  private var lookaheadHead: RequestHead?
  private var lookahead = Lookahead.nothing
  private var isReading = false
  private var usesLargeReads = false
  private var sent = 0
  /// A write failed, perhaps in the middle of an answer: what came after it would be read as a part of that answer.
  private var isBroken = false

  /// How the next request is waited for.
  struct WaitState {
    /// Whether nothing of it has come.
    var isIdle = true
    var start = ContinuousClock.now
    /// Until when this wait lasts.
    var deadline: ContinuousClock.Instant?
    /// Until when its head must have come, from its first byte on.
    var headDeadline: ContinuousClock.Instant?
    /// Until when it may still begin while the server stops.
    var grace: ContinuousClock.Instant?
  }

  var wait = WaitState()
  /// The head of the request that is to be served next.
  var parsedHead: RequestHead?
  /// Why the next request is refused.
  var refusal = HTTPResponse.Status.badRequest

  /// What is known of the body before and after the handler runs.
  var body = BodyState.none
  /// The length that the head announced for it, where it announced one.
  var announcedLength: Int?
  /// How much of the budget of all bodies it holds.
  private var reservedBodyBytes = 0
  /// How many requests there have been.
  var sequence: UInt64 = 0
  /// When a request was last answered outside the task.
  var lastActivity: ContinuousClock.Instant?

  /// Wraps a fresh connection.
  init(stream: any ByteStream, limits: ServerLimits, budget: BodyBudget, metrics: ServerMetrics) {
    self.stream = stream
    self.limits = limits
    self.budget = budget
    self.metrics = metrics
    parser = RequestParser(limits: limits.request)
  }

  /// The parser's next event.
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

  /// What was read of a head that was refused before it was whole.
  var partialHead: PartialHead? { parser.partialHead(in: buffer, at: position) }

  /// Whether nothing of a next request has arrived.
  var isIdle: Bool { lookahead == .nothing && parser.isBetweenRequests && position == buffer.count }

  /// Whether nothing is under way in either direction.
  var isEmpty: Bool { isIdle && !hasOutput && !isReading && !isBroken }

  /// Takes over what was read outside the task: a head without a body, and bytes behind it.
  func enqueueReceived(_ bytes: UnsafeRawBufferPointer, _ head: RequestHead?) {
    if head != nil { (self.lookaheadHead, lookahead) = (head, .head) }
    buffer.append(contentsOf: bytes)
  }

  /// Takes over what the kernel did not take: of `output`, then of `body`, of which `sent` bytes have gone.
  func enqueueUnsent(_ output: [UInt8], _ body: SharedBytes?, sent: Int) {
    self.sent += sent
    if sent < output.count { self.output += output[sent...] }
    guard let body, sent < output.count + body.bytes.count else { return }
    sharedTail = (body, max(sent - output.count, 0))
  }

  /// Adds a body that is not copied behind the answers that wait; what waits must be sent before more is added.
  func enqueueUnsent(_ body: SharedBytes) { sharedTail = (body, 0) }

  /// Adds to the answers that wait to be sent.
  func append<Failure: Error>(_ body: (inout [UInt8]) throws(Failure) -> Void) throws(Failure) { try body(&output) }

  /// How many bytes wait to be sent.
  var pending: Int { output.count }

  /// Whether bytes wait to be sent.
  var hasOutput: Bool { !output.isEmpty || sharedTail != nil }

  /// How many bytes of answers there have been, sent or waiting.
  var written: Int { sent + output.count }

  /// Sends what waits, and then `body` without copying it; once that has failed, nothing is sent any more.
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
    // As a rule the kernel takes all of it at once: no deadline is set, nothing suspends.
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

  /// Remembers that a write failed.
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

  /// Between two requests: sends what waits, then waits for bytes that `tryConsume` leaves; whether there is something to look at now.
  ///
  /// See ``ByteStream/waitForBytes(deadline:tryConsume:)``. An idle connection holds no buffer, and its task nothing but small frames.
  @inline(never)
  nonisolated(nonsending) func waitWhileIdle(
    deadline: ContinuousClock.Instant, tryConsume: @escaping () -> Bool
  ) async throws(StreamError) -> Bool {
    if hasUnsent() { try await flush() }
    try dropBuffers()
    try await stream.waitForBytes(deadline: deadline, tryConsume: tryConsume)
    // What the kernel did not take goes before anything that is still to be answered.
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

  /// Sends what waits, then receives more; false at the end of the sender's bytes.
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

  /// Adds what `range` of the received bytes holds.
  func copyBody(_ range: Range<Int>, to target: inout [UInt8]) { target.append(contentsOf: buffer[range]) }

  /// Takes bytes of the body from the budget of all; false if there are too many.
  func reserveBody(_ count: Int) -> Bool {
    guard budget.reserve(count) else { return false }
    reservedBodyBytes += count
    return true
  }

  /// Gives back what the body holds of the budget: nobody works with it any more.
  func releaseBody() {
    guard reservedBodyBytes > 0 else { return }
    budget.release(reservedBodyBytes)
    reservedBodyBytes = 0
  }

  /// Marks the body as being read, once; returns how it stood, nil where it cannot be read.
  func beginBody() -> BodyState? {
    switch body {
    case .unread, .awaitingContinue:
      defer { body = .reading }
      return body
    case .none, .reading, .finished, .failed: return nil
    }
  }

  nonisolated(nonsending) private func writeSlices(_ bytes: [UInt8], from start: Int) async throws(StreamError) {
    var start = start
    while start < bytes.count {
      let end = min(start + Self.slice, bytes.count)
      try await stream.write(bytes, start..<end, deadline: ContinuousClock.now + limits.writeTimeout)
      start = end
    }
  }

  /// Keeps a small output buffer for the next batch.
  private func reuseBuffer(_ used: consuming [UInt8]) {
    guard used.capacity <= 4096, output.isEmpty else { return }
    var empty = used
    empty.removeAll(keepingCapacity: true)
    output = empty
  }
}
