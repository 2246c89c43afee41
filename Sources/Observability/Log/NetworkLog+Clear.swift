import Locking

/// The rows of a log that was cleared, and their differences from the API description.
struct ClearedLog {
  /// Which clearing it was.
  let number: Int
  var store: NetworkStore
  var drift: DriftTally

  /// Changes an attempt that was in progress when the log was cleared and returns its row; nil if there is none.
  mutating func change(_ id: String, _ body: (inout NetworkRowDetail) -> Void) -> NetworkRow? {
    guard let position = store.position(of: id), !store.row(at: position).state.isFinal else { return nil }
    return store.change(at: position, body)
  }

  /// Adds the result of a comparison that ended after the log was cleared.
  mutating func setDrift(_ found: [NetworkDrift], count: Int, of id: String) {
    guard let position = store.position(of: id) else { return }
    drift.add(found, of: store.change(at: position) { $0.setDrift(found, count: count) })
  }
}

extension NetworkLog {
  /// One clearing of a log.
  package struct Clearing: Hashable, Sendable {
    /// Which one it was.
    package let number: Int
    /// The `seq` of the last row that it removed, or a later one that nothing has.
    package let through: RowSequence
    /// Whether the rows of the clearing before come back with its rows.
    package let keepsEarlier: Bool
  }

  /// Removes all rows, including pinned ones; `seq` continues.
  ///
  /// The rows are kept until `forgetCleared`, so that `restoreCleared` can bring them back; those of a clearing before are let go,
  /// unless nothing has been recorded since.
  @discardableResult
  package func clear() -> Clearing {
    flush()
    return state.withLock { state in
      state.clearings += 1
      let earlier = state.store.count == 0 ? state.cleared : nil
      state.cleared = ClearedLog(
        number: state.clearings, store: earlier?.store ?? state.store, drift: earlier?.drift ?? state.drift)
      state.store.clear()
      state.changes.removeAll()
      state.drift = DriftTally()
      return Clearing(number: state.clearings, through: state.store.next.previous, keepsEarlier: earlier != nil)
    }
  }

  /// Brings the cleared rows back, before those recorded since; returns false if there are none any more.
  package func restoreCleared() -> Bool {
    flush()
    return state.withLock { state in
      guard let cleared = state.cleared else { return false }
      let recorded = state.store
      (state.store, state.drift, state.cleared) = (cleared.store, cleared.drift, nil)
      state.store.setCapacity(recorded.capacity)
      for position in 0..<recorded.count {
        let attempt = recorded[position]
        state.store.append(attempt)
        if let drift = attempt.row.drift { state.drift.add(drift, of: attempt.row) }
      }
      return true
    }
  }

  /// Lets the rows of this clearing go; returns false if they were brought back or the log was cleared again.
  @discardableResult
  package func forgetCleared(_ clearing: Clearing) -> Bool {
    state.withLock { state in
      guard state.cleared?.number == clearing.number else { return false }
      state.cleared = nil
      return true
    }
  }
}
