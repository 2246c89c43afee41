import Locking

/// Caches the stored cooldowns of a device for a few seconds, because calls of an earlier launch may still change them.
final class CooldownCache: Sendable {
  /// The cooldown of an identifier; instants in seconds since 1970.
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

  /// How long rows are cached, in seconds.
  private static let freshness = 5.0

  private let state = Locked(State())

  /// The cached rows, if they are fresh and nothing changed since; `now` in seconds since 1970.
  func rows(at now: Double) -> [Row]? {
    state.withLock { $0.readAt <= now && now < $0.readAt + Self.freshness ? $0.rows : nil }
  }

  /// Grows with every change; rows that were read before a change are not cached after it.
  var changes: UInt64 { state.withLock { $0.changes } }

  /// Caches rows that were read when `changes` had this value.
  func store(_ rows: [Row], readAt now: Double, _ changes: UInt64) {
    state.withLock { if $0.changes == changes { ($0.rows, $0.readAt) = (rows, now) } }
  }

  /// Removes the rows after a change.
  func clear() {
    state.withLock { state in
      state.rows = nil
      state.changes += 1
    }
  }
}
