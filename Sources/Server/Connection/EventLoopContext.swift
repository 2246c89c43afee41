import Glibc
import HTTPTypes
import Reactor
import Locking
import Wire

/// What the connections of one server share on one loop: room to read into, a parser, an output that is filled and sent within
/// a turn, and the loop's part of the numbers. An idle connection therefore holds no buffer.
///
/// Unchecked: after ``init`` only the loop's thread touches it.
final class EventLoopContext: @unchecked Sendable {
  /// How much one read takes: a batch of requests, not more than others can wait for.
  private static let roomSize = 16_384

  /// The loop's part of the numbers.
  let metrics: MetricsShard
  /// Where bytes are read to.
  let room = UnsafeMutableRawBufferPointer.allocate(byteCount: EventLoopContext.roomSize, alignment: 16)
  /// Looks for heads in ``room``; by a pointer, since a property of a class is copied or watched for each call (4 % of user time).
  let parser: UnsafeMutablePointer<RequestParser>
  /// Answers of one batch.
  var output: [UInt8] = []
  /// The value of `Date` as of ``refreshDate()``.
  private(set) var date: [UInt8] = []

  private var second = Int64.min
  private var noted: UInt64 = 0
  private var lastReady: ReadyAnswer?
  private var lastForm: ReadyAnswer.Form?
  private var lastMethod = HeadFacts.Method.get
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
    room.deallocate()
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
  func form(of ready: ReadyAnswer, _ core: ServerCore) -> ReadyAnswer.Form? {
    if ready === lastReady { return lastForm }
    settle()
    (lastReady, lastForm, lastCell) = (ready, ready.form(for: core), nil)
    return lastForm
  }

  /// Notes one answer, whose ``form(of:_:)`` was asked for last, as given at once; ``settle()`` counts those of a batch together.
  func note(_ ready: ReadyAnswer, _ method: HeadFacts.Method) {
    if lastCell == nil || method != lastMethod {
      settle()
      lastMethod = method
      let response = ready.response
      lastCell = metrics.cell(
        route: response.route, method: method == .head ? .head : .get, status: response.status.code)
    }
    noted += 1
  }

  /// Counts what was noted.
  func settle() {
    guard noted > 0, let lastCell else { return }
    lastCell.series.withLock { $0.addPrompt(noted) }
    noted = 0
  }
}
