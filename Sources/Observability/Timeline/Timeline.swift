import DequeModule
package import JSON
import Locking

/// The latest events of a device, in memory; the oldest are evicted.
package final class Timeline: Sendable {
  private struct State {
    /// The entries with consecutive `seq`, oldest first.
    var entries: Deque<TimelineEntry> = []
    /// The `seq` of the next entry.
    var next: UInt64 = 1
  }

  /// The most entries.
  package let capacity: Int
  private let state = Locked(State())

  /// Creates a timeline of at most `capacity` entries.
  package init(capacity: Int = 1000) { self.capacity = max(1, capacity) }

  /// The entries, oldest first.
  package var entries: [TimelineEntry] { state.withLock { Array($0.entries) } }

  /// The number of entries.
  package var count: Int { state.withLock { $0.entries.count } }

  /// Adds an entry and returns its `seq`.
  @discardableResult
  package func append(
    _ kind: TimelineEntry.Kind, at instant: Timestamp, from: String? = nil, to: String? = nil, name: String? = nil,
    faultName: String? = nil, preset: String? = nil, reason: String? = nil, rowID: String? = nil
  ) -> UInt64 {
    state.withLock { state in
      let seq = state.next
      state.next += 1
      state.entries.append(
        TimelineEntry(
          seq: seq, at: instant, kind: kind, from: from, to: to, name: name, faultName: faultName, preset: preset,
          reason: reason, rowID: rowID))
      if state.entries.count > capacity { state.entries.removeFirst() }
      return seq
    }
  }

  /// Sets the row that caused an entry, if it becomes known later; does nothing if the entry was evicted.
  package func setRow(_ rowID: String, of seq: UInt64) {
    state.withLock { state in
      guard let index = state.entries.lastIndex(where: { $0.seq == seq }) else { return }
      state.entries[index].rowID = rowID
    }
  }
}
