import Locking

extension NetworkLog {
  /// The differences between the device's exchanges and the API description since the log was created or cleared.
  package var driftSummary: DriftSummary { state.withLock { $0.drift.summary } }

  /// Adds the result of a comparison to a finished row, also if it was cleared and can be brought back; does nothing if it is gone.
  ///
  /// `drift` is redacted, and `count` is the number of all differences.
  func setDrift(_ drift: [NetworkDrift], count: Int, of id: String) {
    state.withLock { state in
      guard let position = state.store.position(of: id) else {
        state.cleared?.setDrift(drift, count: count, of: id)
        return
      }
      let row = state.store.change(at: position) { $0.setDrift(drift, count: count) }
      state.drift.add(drift, of: row)
      state.changes.append(row)
    }
    notify()
  }
}

extension NetworkRowDetail {
  /// Sets the listed differences and, if there are more of them, their number.
  mutating func setDrift(_ drift: [NetworkDrift], count: Int) {
    row.drift = drift
    row.driftCount = count > drift.count ? count : nil
  }
}
