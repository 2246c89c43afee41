import Glibc
import HTTPTypes
import Reactor
import Locking
import Text
import Wire

/// State shared by the connections of one server on one event loop: a read buffer, a parser, an output buffer that is filled and
/// sent within one turn, and the loop's metrics. An idle connection therefore needs no buffers.
///
/// `@unchecked Sendable`: after ``init`` only the loop's thread touches it.
final class EventLoopContext: @unchecked Sendable {
  /// The most bytes of one read: enough for a batch of requests, little enough not to delay the other connections.
  private static let readBufferSize = 16_384

  /// The loop's shard of the metrics.
  let metrics: MetricsShard
  /// The buffer for received bytes.
  let readBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: EventLoopContext.readBufferSize, alignment: 16)
  /// Scans ``readBuffer`` for heads. A pointer, because accessing a struct property of a class costs a copy or an exclusivity check
  /// on each call (4 % of user time).
  let parser: UnsafeMutablePointer<RequestParser>
  /// The responses of one batch.
  var output: [UInt8] = []
  /// The value of `Date` at the last ``refreshDate()``.
  private(set) var date: [UInt8] = []

  private var second = Int64.min
  private var uncounted: UInt64 = 0
  private var lastPrepared: PreparedResponse?
  private var lastSerialized: PreparedResponse.Serialized?
  private var lastMethod = HeadSummary.Method.get
  private var lastCell: MetricsShard.Cell?

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

  /// Formats `Date` again if a second has passed.
  func refreshDate() {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME_COARSE, &now)
    let second = Int64(now.tv_sec)
    guard self.second != second else { return }
    self.second = second
    date = Array(HTTPDate.format(second).utf8)
  }

  /// Writes `Date` into a response at an offset.
  func stampDate(_ output: inout [UInt8], at start: Int) {
    output.withUnsafeMutableBytes { output in
      date.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: output[start..<(start + $0.count)]).copyMemory(from: $0) }
    }
  }

  /// The bytes of a response, or nil if it cannot be serialized. The latest one is cached, because the next request usually asks
  /// for the same.
  func serialized(of prepared: PreparedResponse, _ core: ServerCore) -> PreparedResponse.Serialized? {
    if prepared === lastPrepared { return lastSerialized }
    flushMetrics()
    (lastPrepared, lastSerialized, lastCell) = (prepared, prepared.serialized(for: core), nil)
    return lastSerialized
  }

  /// Counts a response that was sent at once, whose ``serialized(of:_:)`` was called last; ``flushMetrics()`` records a batch
  /// together.
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

  /// Records the responses counted so far.
  func flushMetrics() {
    guard uncounted > 0, let lastCell else { return }
    lastCell.series.withLock { $0.addImmediate(uncounted) }
    uncounted = 0
  }
}

/// The contexts of one server, one for each event loop.
struct EventLoopContexts: Sendable {
  private let contexts: [(loop: EventLoop, context: EventLoopContext)]

  init(_ core: ServerCore, _ group: EventLoopGroup) { contexts = group.loops.map { ($0, EventLoopContext(core)) } }

  /// The context of a loop. A loop of another group, which serves no listener, gets the first.
  func context(of loop: EventLoop) -> EventLoopContext {
    contexts.first { $0.loop === loop }?.context ?? contexts[0].context
  }
}
