import Locking

extension NetworkLog {
  /// How many attempts a search takes out of the log at a time.
  private static let searchStride = 16

  /// The rows after `after` with a text in one of their bodies, oldest first, ASCII letters in either case.
  ///
  /// It ends when `budget` is spent, after one row at least, and goes on from `next`; at most one body is looked at beyond the budget.
  package func search(text: String, after: UInt64 = 0, budget: Duration = .milliseconds(50)) -> NetworkSearchPage {
    flush()
    let deadline = ContinuousClock.now + budget
    let search = BodySearch(text)
    var matches: [UInt64] = []
    var cursor = after
    while true {
      let bodies = state.withLock { state in
        let first = state.store.position(after: cursor)
        return (first..<min(first + Self.searchStride, state.store.count)).map { position in
          (seq: state.store.row(at: position).seq, bodies: state.store.bodies(at: position))
        }
      }
      if bodies.isEmpty { return NetworkSearchPage(matches: matches, next: cursor, done: true) }
      for body in bodies {
        if [body.bodies.request, body.bodies.response].contains(where: { $0.map(search.matches) ?? false }) {
          matches.append(body.seq)
        }
        cursor = body.seq
        if ContinuousClock.now >= deadline { return NetworkSearchPage(matches: matches, next: cursor, done: false) }
      }
    }
  }
}
