import Locking

/// The cooldowns of one device as its database holds them, for a few seconds: a launch before this one may still write some.
final class HeldCooldowns: Sendable {
  /// One identifier's; instants in seconds from 1970.
  struct Row: Sendable {
    let tag: String
    let retryAt: Double
    let setAt: Double
  }

  private struct State {
    var rows: [Row]?
    var readAt = 0.0
    var changes: UInt64 = 0
  }

  /// How long rows are held, in seconds.
  private static let freshness = 5.0

  private let state = Locked(State())

  /// The rows, where they were read since the last change and a moment ago; `now` in seconds from 1970.
  func rows(at now: Double) -> [Row]? {
    state.withLock { $0.readAt <= now && now < $0.readAt + Self.freshness ? $0.rows : nil }
  }

  /// Grows with every change; what was read before one is not held after it.
  var changes: UInt64 { state.withLock { $0.changes } }

  /// Holds rows that were read when `changes` was that.
  func hold(_ rows: [Row], readAt now: Double, _ changes: UInt64) {
    state.withLock { if $0.changes == changes { ($0.rows, $0.readAt) = (rows, now) } }
  }

  /// Forgets the rows, as one has changed.
  func forget() {
    state.withLock { state in
      state.rows = nil
      state.changes += 1
    }
  }
}
