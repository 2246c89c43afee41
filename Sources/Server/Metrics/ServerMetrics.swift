import Locking

/// The metrics of a server, for Prometheus.
///
/// Requests are labeled by route, method and status class, never by path: clients choose the paths, and each new one would use
/// memory forever.
package final class ServerMetrics: Sendable {
  /// The labels of one series.
  struct Key: Hashable, Sendable {
    var route: String
    var method: String
    var statusClass: Int
  }

  /// The counters of one series.
  struct Series: Sendable {
    var count: UInt64 = 0
    var seconds = 0.0
    var buckets = [UInt64](repeating: 0, count: ServerMetrics.bounds.count)
    var timed: UInt64 = 0
  }

  /// The upper bounds of the duration histogram in seconds; the `+Inf` bucket is the count.
  static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
  /// The most series for each shard; further ones count as `other`, so that labels cannot fill the memory.
  static let seriesLimit = 512

  private let shards = (0..<8).map { _ in MetricsShard() }
  private let nextShard = AtomicCounter()
  private let refusals = Locked<[Int: UInt64]>([:])

  /// Requests in progress: the handler is running, or the response is being sent.
  let inFlight = Counter()
  /// Open connections, including those in a TLS handshake.
  let connections = Counter()
  /// Accepted connections.
  let accepted = Counter()
  /// Connections rejected at a limit, of the server or of one client.
  let rejected = Counter()
  /// Bytes of requests, not counting TLS.
  let received = Counter()
  /// Bytes of responses, not counting TLS.
  let sent = Counter()
  /// Open event streams.
  let subscribers = Counter()

  package init() {}

  /// A shard for one event loop, so that loops do not wait for each other.
  func shard() -> MetricsShard { shards[nextShard.add() % shards.count] }

  /// Counts a request that was rejected before a handler saw it.
  func refuse(_ status: Int) { refusals.withLock { $0[status, default: 0] += 1 } }

  /// All series, summed over the shards, in a stable order.
  var series: [(key: Key, value: Series)] {
    var all: [Key: Series] = [:]
    for shard in shards {
      for (key, series) in shard.series { all[key, default: Series()].add(series) }
    }
    return all.sorted { ($0.key.route, $0.key.method, $0.key.statusClass) < ($1.key.route, $1.key.method, $1.key.statusClass) }
  }

  /// The number of series in the largest shard.
  var fullestShard: Int { shards.map(\.seriesCount).max() ?? 0 }

  /// Refused requests by status, in order.
  var refused: [(status: Int, count: UInt64)] {
    refusals.withLock { $0 }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}

extension ServerMetrics {
  /// A counter that any thread may change.
  final class Counter: Sendable {
    private let number = AtomicCounter()

    var value: Int { number.value }

    func add(_ amount: Int = 1) { number.add(amount) }
  }
}

extension ServerMetrics.Series {
  /// Counts one response.
  mutating func add(_ time: Duration?) {
    count += 1
    guard let time else { return }
    timed += 1
    let duration = time / .seconds(1)
    seconds += duration
    if let index = ServerMetrics.bounds.firstIndex(where: { duration <= $0 }) { buckets[index] += 1 }
  }

  /// Counts responses that were sent within the turn in which the requests arrived; their duration is taken as 0.
  mutating func addImmediate(_ answers: UInt64) {
    count += answers
    timed += answers
    buckets[0] += answers
  }

  /// Adds the counters of another shard.
  mutating func add(_ other: Self) {
    count += other.count
    seconds += other.seconds
    timed += other.timed
    for index in buckets.indices { buckets[index] += other.buckets[index] }
  }
}
