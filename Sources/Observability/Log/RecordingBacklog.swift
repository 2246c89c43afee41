import DequeModule
import Locking

/// The changes that wait to be recorded, in order; the only place that keeps raw values.
///
/// Limited by number and bytes: a caller that exceeds a limit records its change, and those before it, itself. So nothing is
/// lost, and the backlog exceeds its limit by at most one change for each thread.
final class RecordingBacklog: Sendable {
  /// The caller's next step after adding a change.
  enum AddResult: Hashable, Sendable {
    /// None: a recorder is running.
    case scheduled
    /// Start a recorder.
    case needsRecorder
    /// Record the changes itself, because the backlog is full.
    case full
  }

  private struct State {
    /// The changes, oldest first.
    var changes: Deque<PendingChange> = []
    /// The bytes of their bodies.
    var bytes = 0
    /// The number of changes ever added.
    var total: UInt64 = 0
    /// Whether a recorder was started.
    var hasRecorder = false
  }

  /// The most bytes of bodies in the backlog.
  static let byteLimit = 4 << 20

  /// The most changes in the backlog.
  let limit: Int
  private let state = Locked(State())
  /// Locked while a change is recorded, so that only one is recorded at a time.
  private let recordingLock = Locked(())

  /// Creates a backlog of at most `limit` changes; with 0 every caller records its own.
  init(limit: Int) { self.limit = max(0, limit) }

  /// The number of waiting changes.
  var count: Int { state.withLock { $0.changes.count } }

  /// The number of changes ever added.
  var total: UInt64 { state.withLock { $0.total } }

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

  /// Passes the oldest change to `record`, which must not call the backlog. Returns false if the first `total` changes are
  /// recorded.
  ///
  /// Waits for a change that another thread is recording.
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

  /// Ends the recorder; returns false if changes have arrived, which it must record first.
  func finishRecorder() -> Bool {
    state.withLock { state in
      guard state.changes.isEmpty else { return false }
      state.hasRecorder = false
      return true
    }
  }
}
