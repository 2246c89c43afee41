import DequeModule
import Locking

/// The changes that wait to be recorded, in the order in which they were handed over; it is the only place that holds raw values.
///
/// It is bounded by number and bytes: whoever hands over a change that is too much records it, and those before it, in place. So
/// nothing is lost, and what is held grows by one change a thread at most.
final class RecordingBacklog: Sendable {
  /// What becomes of a change that was handed over.
  enum AddResult: Hashable, Sendable {
    /// Somebody attends to the changes and comes to it.
    case scheduled
    /// Nobody does: whoever is told this must send somebody.
    case needsRecorder
    /// The backlog is full: whoever is told this must record.
    case full
  }

  private struct State {
    /// The changes, the oldest first.
    var changes: Deque<PendingChange> = []
    /// The bytes of their bodies.
    var bytes = 0
    /// How many changes were ever handed over.
    var total: UInt64 = 0
    /// Whether somebody has been sent to record them.
    var hasRecorder = false
  }

  /// The bytes of bodies that may wait.
  static let byteLimit = 4 << 20

  /// How many changes may wait.
  let limit: Int
  private let state = Locked(State())
  /// Held while a change is recorded, so that one is recorded after the other, whoever does it.
  private let recordingLock = Locked(())

  /// A backlog of at most `limit` changes; with 0 each is recorded where it is handed over.
  init(limit: Int) { self.limit = max(0, limit) }

  /// How many changes wait.
  var count: Int { state.withLock { $0.changes.count } }

  /// How many changes were ever handed over.
  var total: UInt64 { state.withLock { $0.total } }

  /// Takes a change.
  func add(_ change: PendingChange) -> AddResult {
    state.withLock { state in
      state.changes.append(change)
      state.bytes += change.bodyBytes
      state.total += 1
      if state.changes.count > limit || state.bytes > Self.byteLimit { return .full }
      if state.hasRecorder { return .scheduled }
      state.hasRecorder = true
      return .needsRecorder
    }
  }

  /// Records the oldest change with `record`, which must not come back here; false where the first `total` of all are recorded.
  ///
  /// A change that another thread is recording is waited for.
  func recordNext(ofFirst total: UInt64, _ record: (PendingChange) -> Void) -> Bool {
    recordingLock.withLock { _ in
      let change = state.withLock { state -> PendingChange? in
        guard state.total - UInt64(state.changes.count) < total, let change = state.changes.popFirst() else { return nil }
        state.bytes -= change.bodyBytes
        return change
      }
      guard let change else { return false }
      record(change)
      return true
    }
  }

  /// Ends the attendance; false where changes have come, which must be attended to first.
  func finishRecorder() -> Bool {
    state.withLock { state in
      guard state.changes.isEmpty else { return false }
      state.hasRecorder = false
      return true
    }
  }
}
