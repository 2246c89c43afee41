import HTTPTypes
import Locking

/// What a server has done since it was made, for Prometheus.
///
/// Requests are told apart by route, method and class of status, never by path: paths are the senders' to choose, and each
/// new one would cost memory for ever.
package final class ServerMetrics: Sendable {
  /// What one series of requests is told apart by.
  struct Key: Hashable, Sendable {
    var route: String
    var method: String
    var statusClass: Int
  }

  /// One series of requests.
  struct Series: Sendable {
    var count: UInt64 = 0
    var seconds = 0.0
    var buckets = [UInt64](repeating: 0, count: ServerMetrics.bounds.count)
    var timed: UInt64 = 0
  }

  /// Upper bounds of the duration's buckets, in seconds; the last bucket, without a bound, is the count.
  static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
  /// A handler that makes labels up cannot fill the memory: further ones count as `other`.
  static let seriesLimit = 512

  private let shards = (0..<8).map { _ in MetricsShard() }
  private let nextShard = AtomicCounter()
  private let refusals = Locked<[Int: UInt64]>([:])

  /// Requests whose handler runs or whose answer is being sent.
  let inFlight = Counter()
  /// Connections that are open, handshakes included.
  let connections = Counter()
  /// Connections that were let in.
  let accepted = Counter()
  /// Connections that were turned away: all were taken, or all of one client.
  let rejected = Counter()
  /// Bytes of requests, without TLS.
  let received = Counter()
  /// Bytes of answers, without TLS.
  let sent = Counter()
  /// Event streams that are open.
  let subscribers = Counter()

  /// All zero.
  package init() {}

  /// A part of the numbers for one event loop, so that loops do not wait for each other.
  func shard() -> MetricsShard { shards[nextShard.add() % shards.count] }

  /// Counts a request that no handler saw.
  func refuse(_ status: Int) { refusals.withLock { $0[status, default: 0] += 1 } }

  /// Every series, the shards added up, in a stable order.
  var series: [(key: Key, value: Series)] {
    var all: [Key: Series] = [:]
    for shard in shards {
      for (key, series) in shard.series { all[key, default: Series()].add(series) }
    }
    return all.sorted { ($0.key.route, $0.key.method, $0.key.statusClass) < ($1.key.route, $1.key.method, $1.key.statusClass) }
  }

  /// How many series the shard with most of them holds.
  var fullestShard: Int { shards.map(\.seriesCount).max() ?? 0 }

  /// Refused requests by status, in order.
  var refused: [(status: Int, count: UInt64)] {
    refusals.withLock { $0 }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}

extension ServerMetrics {
  /// A number that any thread may change.
  final class Counter: Sendable {
    private let number = AtomicCounter()

    /// The number.
    var value: Int { number.value }

    /// Adds to it.
    func add(_ amount: Int = 1) { number.add(amount) }
  }
}

extension ServerMetrics.Series {
  /// Counts one answer.
  mutating func add(_ time: Duration?) {
    count += 1
    guard let time else { return }
    timed += 1
    let duration = time / .seconds(1)
    seconds += duration
    if let index = ServerMetrics.bounds.firstIndex(where: { duration <= $0 }) { buckets[index] += 1 }
  }

  /// Counts answers that were given within the turn of the loop in which their requests came: no time to speak of.
  mutating func addImmediate(_ answers: UInt64) {
    count += answers
    timed += answers
    buckets[0] += answers
  }

  /// Adds another shard's part.
  mutating func add(_ other: Self) {
    count += other.count
    seconds += other.seconds
    timed += other.timed
    for index in buckets.indices { buckets[index] += other.buckets[index] }
  }
}
