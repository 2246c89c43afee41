import Reactor
import Synchronization
import Wire

/// The bytes of one connection in both directions: what was received and not yet used, and answers not yet sent.
///
/// Every read sends the waiting answers first, so the answers of one batch of requests leave in one write. The lock is never
/// contended: it only lets a request's body be handed to a handler.
final class ConnectionIO: Sendable {
  private struct State: Sendable {
    var parser: RequestParser
    var buffer: [UInt8] = []
    var position = 0
    var output: [UInt8] = []
    var body = BodyState.none
    var isReading = false
    var readsMuch = false
    var written = 0
    /// A write failed, perhaps in the middle of an answer: what came after it would be read as a part of that answer.
    var isCut = false
  }

  /// How far the current request's body is.
  enum BodyState: Sendable {
    case none, unread, awaitingContinue, reading, finished, failed
  }

  /// Answers above this many bytes are sent before the next request of a batch is looked at.
  static let highWater = 65_536
  /// One write call covers at most this much, so that the stall limit bounds a slow reader by its rate.
  private static let slice = 65_536

  let stream: any ByteStream
  let limits: ServerLimits
  private let metrics: ServerMetrics
  private let state: Mutex<State>

  /// Wraps a fresh connection.
  init(stream: any ByteStream, limits: ServerLimits, metrics: ServerMetrics) {
    self.stream = stream
    self.limits = limits
    self.metrics = metrics
    state = Mutex(State(parser: RequestParser(limits: limits.request)))
  }

  /// The parser's next event.
  func next() throws(RequestError) -> RequestParser.Event {
    try state.withLock { state throws(RequestError) in
      try state.parser.next(in: state.buffer, at: &state.position)
    }
  }

  /// Whether nothing of a next request has arrived.
  var isIdle: Bool { state.withLock { $0.parser.isBetweenRequests && $0.position == $0.buffer.count } }

  /// Adds to the answers that wait to be sent.
  func append<Failure: Error>(_ body: (inout [UInt8]) throws(Failure) -> Void) throws(Failure) {
    try state.withLock { state throws(Failure) in try body(&state.output) }
  }

  /// How many bytes wait to be sent.
  var pending: Int { state.withLock { $0.output.count } }

  /// How many bytes of answers there have been, sent or waiting.
  var written: Int { state.withLock { $0.written + $0.output.count } }

  /// Sends what waits, and then `body` without copying it; once that has failed, nothing is sent any more.
  func flush(then body: [UInt8] = []) async throws(StreamError) {
    let (output, isCut) = state.withLock { state in
      let output = state.output
      state.output = []
      state.written += output.count + body.count
      return (output, state.isCut)
    }
    let total = output.count + body.count
    guard total > 0 else { return }
    guard !isCut else { throw .closed }
    metrics.sent.add(total)
    do throws(StreamError) {
      try await send(output, body, total)
    } catch {
      state.withLock { $0.isCut = true }
      throw error
    }
    giveBack(output)
  }

  private func send(_ output: [UInt8], _ body: [UInt8], _ total: Int) async throws(StreamError) {
    if total <= Self.slice {
      let deadline = ContinuousClock.now + limits.writeTimeout
      if body.isEmpty {
        try await stream.write(output, deadline: deadline)
      } else {
        try await stream.write([output, body], deadline: deadline)
      }
    } else {
      if !output.isEmpty { try await writeSlices(output) }
      try await writeSlices(body)
    }
  }

  /// Sends what waits, then receives more; false at the end of the sender's bytes.
  func fill(deadline: ContinuousClock.Instant?) async throws(StreamError) -> Bool {
    try await flush()
    let taken: ([UInt8], Bool)? = state.withLock { state in
      guard !state.isReading else { return nil }
      state.isReading = true
      var buffer = state.buffer
      state.buffer = []
      buffer.removeSubrange(..<state.position)
      state.position = 0
      return (buffer, state.readsMuch)
    }
    guard let taken else { throw .closed }
    var buffer = taken.0
    let wanted = taken.1 ? 65_536 : 4096
    let outcome: Result<Int, StreamError>
    do throws(StreamError) {
      outcome = .success(try await stream.read(into: &buffer, atMost: wanted, deadline: deadline))
    } catch {
      outcome = .failure(error)
    }
    let received = buffer
    buffer = []
    state.withLock { state in
      state.isReading = false
      state.buffer = received
      if case .success(let count) = outcome { state.readsMuch = count == wanted }
    }
    let count = try outcome.get()
    metrics.received.add(count)
    return count > 0
  }

  /// What is known of the body before and after the handler runs.
  var body: BodyState {
    get { state.withLock { $0.body } }
    set { state.withLock { $0.body = newValue } }
  }

  /// Adds what `range` of the received bytes holds.
  func copyBody(_ range: Range<Int>, to target: inout [UInt8]) {
    state.withLock { target.append(contentsOf: $0.buffer[range]) }
  }

  /// Marks the body as being read, once; returns how it stood, nil where it cannot be read.
  func beginBody() -> BodyState? {
    state.withLock { state in
      switch state.body {
      case .unread, .awaitingContinue:
        defer { state.body = .reading }
        return state.body
      case .none, .reading, .finished, .failed: return nil
      }
    }
  }

  private func writeSlices(_ bytes: [UInt8]) async throws(StreamError) {
    var start = 0
    while start < bytes.count {
      let end = min(start + Self.slice, bytes.count)
      try await stream.write(Array(bytes[start..<end]), deadline: ContinuousClock.now + limits.writeTimeout)
      start = end
    }
  }

  /// Keeps a small output buffer for the next batch.
  private func giveBack(_ used: consuming [UInt8]) {
    guard used.capacity <= 4096 else { return }
    var empty = used
    empty.removeAll(keepingCapacity: true)
    let spare = empty
    state.withLock { if $0.output.isEmpty { $0.output = spare } }
  }
}
