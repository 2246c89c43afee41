import DequeModule
import Locking
import Redaction

/// Compares the exchanges of all devices with an API description, one after the other in the background.
///
/// Calls never wait for it: exchanges wait in a queue that is limited in number and bytes, and those that do not fit are counted
/// and not compared. An exchange, which contains secrets, is dropped as soon as it was compared. Exchanges also wait until the
/// program has found out whether there is a description.
package final class ExchangeComparer: Sendable {
  /// Returns how an exchange differs from the description.
  package typealias Comparison = @Sendable (RawExchange) -> [NetworkDrift]

  /// The number of exchanges since the start.
  package struct Counts: Hashable, Sendable {
    /// Those that were compared.
    package fileprivate(set) var compared: UInt64 = 0
    /// Those of them that differ.
    package fileprivate(set) var drifted: UInt64 = 0
    /// Those that did not fit into the queue.
    package fileprivate(set) var dropped: UInt64 = 0
    package init() {}
  }

  /// A waiting exchange, with the data to redact and report the result.
  private struct Item: Sendable {
    let id: String
    let exchange: RawExchange
    let redactor: Redactor
    let log: NetworkLog

    var bytes: Int { exchange.request.body.count + (exchange.response?.body.count ?? 0) }
  }

  private enum Mode {
    case undecided
    case comparing(Comparison, declares: @Sendable (String) -> Bool)
    case off
  }

  private struct State {
    var mode = Mode.undecided
    var items: Deque<Item> = []
    var bytes = 0
    var hasWorker = false
    var counts = Counts()
    /// Callers that wait until the queue is empty.
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  /// The most exchanges in the queue, and the most bytes of their bodies.
  package let rowLimit, byteLimit: Int
  private let state = Locked(State())

  /// Creates a comparer without a description; call `start` or `turnOff` once that is decided.
  package init(rowLimit: Int = 2000, byteLimit: Int = 16 << 20) {
    self.rowLimit = rowLimit
    self.byteLimit = byteLimit
  }

  /// The numbers so far.
  package var counts: Counts { state.withLock { $0.counts } }

  /// The number of exchanges in the queue.
  package var waiting: Int { state.withLock { $0.items.count } }

  /// Compares waiting and later exchanges.
  /// - Parameter declares: Whether the description has a name, which is then shown.
  package func start(declares: @escaping @Sendable (String) -> Bool = { _ in false }, _ comparison: @escaping Comparison) {
    let needsWorker = state.withLock { state in
      state.mode = .comparing(comparison, declares: declares)
      return Self.claimWorker(&state)
    }
    if needsWorker { startWorker() }
  }

  /// Drops waiting and later exchanges: there is no description.
  package func turnOff() {
    let waiters = state.withLock { state in
      state.mode = .off
      state.items.removeAll()
      state.bytes = 0
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Returns when no exchange waits or is being compared.
  package func finish() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if state.items.isEmpty, !state.hasWorker { return true }
        state.waiters.append(continuation)
        return false
      }
      if isIdle { continuation.resume() }
    }
  }

  /// Queues the exchange of a row; without a response, or if it was not the backend's, there is nothing to compare.
  func add(_ exchange: RawExchange, of id: String, source: NetworkRow.Source, redactor: Redactor, in log: NetworkLog) {
    guard exchange.response != nil, source.isCompared else { return }
    let item = Item(id: id, exchange: exchange, redactor: redactor, log: log)
    let needsWorker = state.withLock { state in
      if case .off = state.mode { return false }
      guard state.items.count < rowLimit, state.bytes + item.bytes <= byteLimit else {
        state.counts.dropped += 1
        return false
      }
      state.items.append(item)
      state.bytes += item.bytes
      return Self.claimWorker(&state)
    }
    if needsWorker { startWorker() }
  }

  private static func claimWorker(_ state: inout State) -> Bool {
    guard case .comparing = state.mode, !state.hasWorker, !state.items.isEmpty else { return false }
    state.hasWorker = true
    return true
  }

  private func startWorker() {
    Task.detached(priority: .background) {
      while let (item, comparison, declares) = self.next() {
        self.compare(item, comparison, declares)
        // Other tasks run first.
        await Task.yield()
      }
    }
  }

  /// The oldest exchange; nil if there is none, which ends the worker.
  private func next() -> (Item, Comparison, @Sendable (String) -> Bool)? {
    typealias Next = (Item, Comparison, @Sendable (String) -> Bool)
    let (next, waiters) = state.withLock { state -> (Next?, [CheckedContinuation<Void, Never>]) in
      if case .comparing(let comparison, let declares) = state.mode, let item = state.items.popFirst() {
        state.bytes -= item.bytes
        return ((item, comparison, declares), [])
      }
      state.hasWorker = false
      defer { state.waiters = [] }
      return (nil, state.waiters)
    }
    for waiter in waiters { waiter.resume() }
    return next
  }

  private func compare(_ item: Item, _ comparison: Comparison, _ declares: @escaping @Sendable (String) -> Bool) {
    let found = comparison(item.exchange)
    state.withLock { state in
      state.counts.compared += 1
      if !found.isEmpty { state.counts.drifted += 1 }
    }
    guard !found.isEmpty else { return }
    let redaction = DriftRedaction(redactor: item.redactor, endpoint: item.exchange.request.endpoint, declares: declares)
    item.log.setDrift(NetworkDrift.distinct(found).map(redaction.redact), count: found.count, of: item.id)
  }
}

extension NetworkRow.Source {
  /// Whether responses of the source are the backend's, and can be compared with its description.
  package var isCompared: Bool { self != .cache && self != .fault }
}
