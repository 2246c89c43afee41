import Locking

/// The use and the limits of a network log.
package struct NetworkOccupancy: Hashable, Sendable {
  package let rows: Int
  package let capacity: Int
  package let pins: Int
  package let pinLimit: Int
  package let bodyBytes: Int
  package let bodyLimit: Int
  /// Changes that are not recorded yet.
  package let waiting: Int
  package let waitingLimit: Int
  /// Changed rows that are not saved yet; 0 if the log is not saved.
  package let unsaved: Int
  package let unsavedLimit: Int
}

extension NetworkLog {
  /// The current use, without waiting for pending changes.
  package var occupancy: NetworkOccupancy {
    let waiting = backlog.count
    return state.withLock { state in
      NetworkOccupancy(
        rows: state.store.count, capacity: state.store.capacity, pins: state.store.pinCount, pinLimit: NetworkStore.maximumPins,
        bodyBytes: state.store.bodyBytes, bodyLimit: state.store.bodyBudget, waiting: waiting, waitingLimit: backlog.limit,
        unsaved: state.store.unsaved?.count ?? 0, unsavedLimit: state.store.capacity + UnsavedAttempts.departedLimit)
    }
  }
}
