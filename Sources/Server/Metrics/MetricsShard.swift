import HTTPTypes
import Locking

/// The request counters of one event loop.
final class MetricsShard: Sendable {
  /// The counters of one series.
  final class Cell: Sendable {
    /// The counters.
    let series = Locked(ServerMetrics.Series())
  }

  private struct State {
    var cells: [ServerMetrics.Key: Cell] = [:]
    /// The cell used last: the next request usually needs the same, and comparing keys costs a fifth of hashing one.
    var last: (key: ServerMetrics.Key, cell: Cell)?
  }

  private static let methods: Set<HTTPRequest.Method> = [.get, .head, .post, .put, .patch, .delete, .options]

  private let state = Locked(State())

  /// Counts a response; `time` is nil for event streams, whose duration has no meaning.
  func record(route: String?, method: HTTPRequest.Method, status: Int, time: Duration?) {
    cell(route: route, method: method, status: status).series.withLock { $0.add(time) }
  }

  /// The cell that counts responses with these labels.
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

  /// The number of series.
  var seriesCount: Int { state.withLock { $0.cells.count } }

  var series: [(ServerMetrics.Key, ServerMetrics.Series)] {
    state.withLock { $0.cells.map { ($0.key, $0.value) } }.map { ($0, $1.series.withLock { $0 }) }
  }
}
