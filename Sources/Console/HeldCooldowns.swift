import Synchronization

/// The cooldowns of one device as its database holds them.
final class HeldCooldowns: Sendable {
  /// One identifier's; instants in seconds from 1970.
  struct Row: Sendable {
    let tag: String
    let retryAt: Double
    let setAt: Double
  }

  private let state = Mutex<(rows: [Row]?, changes: UInt64)>((nil, 0))

  /// The rows, where they were read since the last change.
  var rows: [Row]? { state.withLock { $0.rows } }

  /// Grows with every change; what was read before one is not held after it.
  var changes: UInt64 { state.withLock { $0.changes } }

  /// Holds rows that were read when `changes` was that.
  func hold(_ rows: [Row], readAt changes: UInt64) {
    state.withLock { if $0.changes == changes { $0.rows = rows } }
  }

  /// Forgets the rows, as one has changed.
  func forget() {
    state.withLock { $0 = (nil, $0.changes + 1) }
  }
}
