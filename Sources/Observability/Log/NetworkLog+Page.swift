import Locking

/// Pages of the log.
extension NetworkLog {
  /// The rows that match the filter, oldest first.
  package func rows(filter: NetworkFilter = NetworkFilter()) -> NetworkPage {
    flush()
    return state.withLock { state in
      let (positions, next) = state.select(filter)
      return state.page(positions.map { state.store.row(at: $0) }, next: next)
    }
  }

  /// The same page as JSON; rows that did not change since they were last listed are not written again.
  package func json(filter: NetworkFilter = NetworkFilter()) -> [UInt8] {
    flush()
    return state.withLock { state in
      let (positions, next) = state.select(filter)
      let rows = positions.map { state.encoded.json(of: state.store.row(at: $0), next: state.store.next) }
      return state.page([], next: next).json(rows: rows)
    }
  }

  /// Gives back the memory for what can be made anew.
  package func rest() { state.withLock { $0.encoded = EncodedRows() } }
}

extension NetworkLog.State {
  /// The positions of the rows that match the filter, oldest first, and the `seq` to continue from.
  fileprivate func select(_ filter: NetworkFilter) -> (positions: [Int], next: RowSequence) {
    var positions: [Int] = []
    let after = filter.after ?? 0
    var position = store.position(after: after)
    let limit = filter.limit ?? NetworkFilter.maximumLimit
    while position < store.count, positions.count < limit {
      if filter.matches(store.row(at: position)) { positions.append(position) }
      position += 1
    }
    let next = position == store.count ? store.next.previous : positions.last.map { store.row(at: $0).seq } ?? after
    return (positions, next)
  }

  fileprivate func page(_ rows: [NetworkRow], next: RowSequence) -> NetworkPage {
    // What left a saved log's memory is not gone.
    let unsaved = store.unsaved
    return NetworkPage(
      events: rows, next: next, dropped: unsaved.map { UInt64($0.lost) } ?? store.dropped, capacity: store.capacity,
      older: unsaved == nil ? nil : store.dropped, gaps: gaps.isEmpty ? nil : gaps)
  }
}
