import Glibc
import HTTPTypes
import Reactor
import Locking
import Wire

/// What the connections of one server share on one loop: readBuffer to read into, a parser, an output that is filled and sent within
/// a turn, and the loop's part of the numbers. An idle connection therefore holds no buffer.
///
/// Unchecked: after ``init`` only the loop's thread touches it.
final class EventLoopContext: @unchecked Sendable {
  /// How much one read takes: a batch of requests, not more than others can wait for.
  private static let readBufferSize = 16_384

  /// The loop's part of the numbers.
  let metrics: MetricsShard
  /// Where bytes are read to.
  let readBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: EventLoopContext.readBufferSize, alignment: 16)
  /// Looks for heads in ``readBuffer``; by a pointer, since a property of a class is copied or watched for each call (4 % of user time).
  let parser: UnsafeMutablePointer<RequestParser>
  /// Answers of one batch.
  var output: [UInt8] = []
  /// The value of `Date` as of ``refreshDate()``.
  private(set) var date: [UInt8] = []

  private var second = Int64.min
  private var uncounted: UInt64 = 0
  private var lastPrepared: PreparedResponse?
  private var lastSerialized: PreparedResponse.Serialized?
  private var lastMethod = HeadSummary.Method.get
  private var lastCell: MetricsShard.Cell?

  /// A context for one loop.
  init(_ core: ServerCore) {
    metrics = core.metrics.shard()
    parser = .allocate(capacity: 1)
    parser.initialize(to: RequestParser(limits: core.limits.request))
  }

  deinit {
    parser.deinitialize(count: 1)
    parser.deallocate()
    readBuffer.deallocate()
  }

  /// Makes the value of `Date` anew where a second has begun.
  func refreshDate() {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME_COARSE, &now)
    let second = Int64(now.tv_sec)
    guard self.second != second else { return }
    self.second = second
    date = Array(HTTPDate.format(second).utf8)
  }

  /// Writes `Date` into an answer.
  func stampDate(_ output: inout [UInt8], at start: Int) {
    output.withUnsafeMutableBytes { output in
      date.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: output[start..<(start + $0.count)]).copyMemory(from: $0) }
    }
  }

  /// The bytes of an answer, or nil; what was asked for last is asked for next, as a rule, and is at hand.
  func serialized(of prepared: PreparedResponse, _ core: ServerCore) -> PreparedResponse.Serialized? {
    if prepared === lastPrepared { return lastSerialized }
    flushMetrics()
    (lastPrepared, lastSerialized, lastCell) = (prepared, prepared.serialized(for: core), nil)
    return lastSerialized
  }

  /// Notes one answer, whose ``serialized(of:_:)`` was asked for last, as given at once; ``flushMetrics()`` counts those of a batch together.
  func countResponse(_ prepared: PreparedResponse, _ method: HeadSummary.Method) {
    if lastCell == nil || method != lastMethod {
      flushMetrics()
      lastMethod = method
      let response = prepared.response
      lastCell = metrics.cell(
        route: response.route, method: method == .head ? .head : .get, status: response.status.code)
    }
    uncounted += 1
  }

  /// Counts what was uncounted.
  func flushMetrics() {
    guard uncounted > 0, let lastCell else { return }
    lastCell.series.withLock { $0.addImmediate(uncounted) }
    uncounted = 0
  }
}

/// The context of each loop of one server.
struct EventLoopContexts: Sendable {
  private let contexts: [(loop: EventLoop, context: EventLoopContext)]

  /// One for each loop of the group.
  init(_ core: ServerCore, _ group: EventLoopGroup) { contexts = group.loops.map { ($0, EventLoopContext(core)) } }

  /// The loop's context; a loop of another group, which no listener serves, gets the first.
  func context(of loop: EventLoop) -> EventLoopContext {
    contexts.first { $0.loop === loop }?.context ?? contexts[0].context
  }
}
