import HTTPTypes
import Locking

/// The part of a server's request numbers that one event loop counts.
final class MetricsShard: Sendable {
  /// The numbers of one series.
  final class Cell: Sendable {
    /// What was counted.
    let series = Locked(ServerMetrics.Series())
  }

  private struct State {
    var cells: [ServerMetrics.Key: Cell] = [:]
    /// What was counted last is counted next, as a rule, and a comparison costs a fifth of a hash.
    var last: (key: ServerMetrics.Key, cell: Cell)?
  }

  private static let methods: Set<HTTPRequest.Method> = [.get, .head, .post, .put, .patch, .delete, .options]

  private let state = Locked(State())

  /// Counts an answer; `time` is nil for event streams, whose length says nothing.
  func record(route: String?, method: HTTPRequest.Method, status: Int, time: Duration?) {
    cell(route: route, method: method, status: status).series.withLock { $0.add(time) }
  }

  /// Where answers to such requests are counted.
  func cell(route: String?, method: HTTPRequest.Method, status: Int) -> Cell {
    let isKnown = method == .get || Self.methods.contains(method)
    var key = ServerMetrics.Key(
      route: route ?? "other", method: isKnown ? method.rawValue : "other", statusClass: status / 100)
    return state.withLock { state in
      if let last = state.last, last.key == key { return last.cell }
      if state.cells.count >= ServerMetrics.seriesLimit, state.cells[key] == nil { key.route = "other" }
      let cell = state.cells[key] ?? Cell()
      state.cells[key] = cell
      state.last = (key, cell)
      return cell
    }
  }

  /// How many series there are.
  var seriesCount: Int { state.withLock { $0.cells.count } }

  /// Every series.
  var series: [(ServerMetrics.Key, ServerMetrics.Series)] {
    state.withLock { $0.cells.map { ($0.key, $0.value) } }.map { ($0, $1.series.withLock { $0 }) }
  }
}
