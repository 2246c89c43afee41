import Locking

extension NetworkLog {
  /// The differences between the device's exchanges and the API description since the log was created or cleared.
  package var driftSummary: DriftSummary { state.withLock { $0.drift.summary } }

  /// Adds the result of a comparison to a finished row; does nothing if the row is gone.
  ///
  /// `drift` is redacted, and `count` is the number of all differences.
  func setDrift(_ drift: [NetworkDrift], count: Int, of id: String) {
    state.withLock { state in
      guard let position = state.store.position(of: id) else { return }
      let row = state.store.change(at: position) { attempt in
        attempt.row.drift = drift
        attempt.row.driftCount = count > drift.count ? count : nil
      }
      state.drift.add(drift, of: row)
      state.changes.append(row)
    }
    notify()
  }
}
