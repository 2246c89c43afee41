import Locking

extension NetworkLog {
  /// Fills a new log with saved attempts, oldest first, and counts from then on what has to be saved.
  ///
  /// `older` is the number of saved attempts before these, `next` the `seq` of the next attempt, and `gaps` tells after which
  /// attempts some may be missing. An attempt that had not ended
  /// when it was saved is over: its state becomes `cancelled`, and its error `interrupted`.
  package func restore(_ attempts: [NetworkRowDetail], older: UInt64, next: RowSequence, gaps: [NetworkGap] = []) {
    state.withLock { state in
      state.gaps = gaps
      state.store.restore(attempts, older: older, next: next)
      for position in 0..<state.store.count {
        let row = state.store.row(at: position)
        if let drift = row.drift { state.drift.add(drift, of: row) }
        guard !row.state.isFinal else { continue }
        _ = state.store.change(at: position) { attempt in
          attempt.row.state = .cancelled
          attempt.row.error = "interrupted"
        }
      }
    }
  }

  /// The `seq` of the next attempt.
  package var nextSeq: RowSequence { state.withLock { $0.store.next } }

  /// Takes the attempts that changed since the last time, in the order in which they have to be saved.
  package func takeUnsaved() -> [NetworkRowDetail] {
    state.withLock { state in
      guard let (departed, changed) = state.store.unsaved?.take() else { return [] }
      return departed + changed.compactMap { seq in state.store.position(of: seq).map { state.store[$0] } }
    }
  }

  /// Takes back attempts that could not be saved; those that have left the memory meanwhile are lost.
  package func putBack(_ attempts: [NetworkRowDetail]) {
    state.withLock { state in
      for attempt in attempts {
        state.store.unsaved?.note(attempt.row.seq)
        if state.store.position(of: attempt.row.id) == nil { state.store.unsaved?.keep(attempt) }
      }
    }
  }
}
