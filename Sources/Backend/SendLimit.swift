import GRDB
import JSON

/// The spacing and hourly cap of login messages, counted per identifier over links and codes together.
enum SendLimit {
  /// How many sends of an identifier are kept: no more than the strictest cap looks at.
  static let remembered = 5
  private static let hour: Int64 = 3_600_000

  /// How many milliseconds must pass before the next send; 0 when it may go now. `sends` is newest first.
  static func wait(after sends: [Timestamp], now: Timestamp, mode: LimitsMode) -> Int64 {
    guard let newest = sends.first else { return 0 }
    var wait = newest.milliseconds + mode.spacing - now.milliseconds
    if let cap = mode.hourlyCap, sends.count >= cap {
      wait = max(wait, sends[cap - 1].milliseconds + hour - now.milliseconds)
    }
    return max(0, wait)
  }

  /// Milliseconds as the whole seconds after which the call works: one less does not.
  static func wholeSeconds(_ milliseconds: Int64) -> Int { Int(clamping: (milliseconds + 999) / 1000) }

  /// Takes a send of the identifier, or says how many milliseconds are missing.
  ///
  /// Runs inside a write transaction, so that of two simultaneous calls at the edge one passes.
  static func take(_ db: Database, identifier: String, now: Timestamp, mode: LimitsMode) throws -> Taken {
    // A clock that went back must neither lock the identifier for the time it went back by nor free it.
    try db.execute(
      sql: "UPDATE login_send SET sent_at = ? WHERE identifier = ? AND sent_at > ?",
      arguments: [now.milliseconds, identifier, now.milliseconds])
    try db.execute(sql: "DELETE FROM login_send WHERE sent_at <= ?", arguments: [now.milliseconds - hour])
    let sends = try newest(db, identifier: identifier)
    let missing = wait(after: sends, now: now, mode: mode)
    guard missing == 0 else { return .refused(wait: missing) }
    try db.execute(
      sql: "INSERT INTO login_send (identifier, sent_at) VALUES (?, ?)", arguments: [identifier, now.milliseconds])
    try db.execute(
      sql: """
        DELETE FROM login_send WHERE identifier = ? AND id NOT IN
          (SELECT id FROM login_send WHERE identifier = ? ORDER BY sent_at DESC, id DESC LIMIT ?)
        """, arguments: [identifier, identifier, remembered])
    return .sent(cooldown: wait(after: [now] + sends, now: now, mode: mode))
  }

  /// What became of a wish to send; milliseconds.
  enum Taken: Equatable, Sendable {
    /// It was counted; the next one may go after `cooldown`.
    case sent(cooldown: Int64)
    /// It may go after `wait`.
    case refused(wait: Int64)
  }

  private static func newest(_ db: Database, identifier: String) throws -> [Timestamp] {
    try Int64.fetchAll(
      db, sql: "SELECT sent_at FROM login_send WHERE identifier = ? ORDER BY sent_at DESC, id DESC LIMIT ?",
      arguments: [identifier, remembered]
    ).map { Timestamp(milliseconds: $0) }
  }
}
