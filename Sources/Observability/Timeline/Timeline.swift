import DequeModule
package import JSON
import Locking

/// The latest events of a device, in memory; the oldest are evicted.
package final class Timeline: Sendable {
  private struct State {
    /// The entries with consecutive `seq`, oldest first.
    var entries: Deque<TimelineEntry> = []
    /// The `seq` of the next entry.
    var next: RowSequence = 1
    /// The `seq` of the entries that changed since they were last taken to be saved.
    var unsaved: Set<RowSequence> = []
  }

  /// The most entries.
  package let capacity: Int
  private let state = Locked(State())
  private let onChange: @Sendable () -> Void

  /// Creates a timeline of at most `capacity` entries; `onChange` is called after each change and must not block.
  package init(capacity: Int = 1000, onChange: @escaping @Sendable () -> Void = {}) {
    self.capacity = max(1, capacity)
    self.onChange = onChange
  }

  /// The entries, oldest first.
  package var entries: [TimelineEntry] { state.withLock { Array($0.entries) } }

  /// The newest entry that satisfies the condition; nil if there is none.
  package func last(where isWanted: (TimelineEntry) -> Bool) -> TimelineEntry? {
    state.withLock { $0.entries.last(where: isWanted) }
  }

  /// The number of entries.
  package var count: Int { state.withLock { $0.entries.count } }

  /// Adds an entry and returns its `seq`.
  @discardableResult
  package func append(
    _ kind: TimelineEntry.Kind, at instant: Timestamp, from: String? = nil, to: String? = nil, name: String? = nil,
    faultName: String? = nil, preset: String? = nil, reason: String? = nil, rowID: String? = nil
  ) -> RowSequence {
    defer { onChange() }
    return state.withLock { state in
      let seq = state.next
      state.next = seq.next
      state.unsaved.insert(seq)
      state.entries.append(
        TimelineEntry(
          seq: seq, at: instant, kind: kind, from: from, to: to, name: name, faultName: faultName, preset: preset,
          reason: reason, rowID: rowID))
      if state.entries.count > capacity, let oldest = state.entries.popFirst() { state.unsaved.remove(oldest.seq) }
      return seq
    }
  }

  /// Sets the row that caused an entry, if it becomes known later; does nothing if the entry was evicted.
  package func setRow(_ rowID: String, of seq: RowSequence) {
    state.withLock { state in
      guard let index = state.entries.lastIndex(where: { $0.seq == seq }) else { return }
      state.entries[index].rowID = rowID
      state.unsaved.insert(seq)
    }
    onChange()
  }

  /// Fills a new timeline with saved entries, oldest first.
  package func restore(_ entries: [TimelineEntry]) {
    state.withLock { state in
      state.entries = Deque(entries.suffix(capacity))
      state.next = (entries.last?.seq ?? 0).next
    }
  }

  /// Takes the entries that changed since the last time, oldest first.
  package func takeUnsaved() -> [TimelineEntry] {
    state.withLock { state in
      defer { state.unsaved = [] }
      return state.unsaved.isEmpty ? [] : state.entries.filter { state.unsaved.contains($0.seq) }
    }
  }

  /// Takes back entries that could not be saved.
  package func putBack(_ entries: [TimelineEntry]) { state.withLock { $0.unsaved.formUnion(entries.map(\.seq)) } }
}
