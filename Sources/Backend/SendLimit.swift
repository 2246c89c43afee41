import GRDB
import JSON

/// The limits of login messages: spacing and hourly cap of an identifier over links and codes together, and a cap of a client
/// instance (its `X-Device-ID`) over all identifiers; never the address, which everybody on this machine shares.
enum SendLimit {
  /// How many sends of an identifier are kept: no more than the strictest cap looks at.
  static let remembered = 5
  /// How many messages a client instance may cause within `clientWindow` in `prod`.
  static let clientCap = 30
  /// Five minutes.
  static let clientWindow: Int64 = 300_000
  /// How many sends are kept in all; the oldest go first.
  static let capacity = 100_000
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

  /// Takes a send of the identifier and the device, or says how many milliseconds are missing.
  ///
  /// Runs inside a write transaction, so that of two simultaneous calls at the edge one passes.
  static func take(_ db: Database, identifier: String, deviceID: String, now: Timestamp, mode: LimitsMode) throws -> Taken {
    // A clock that went back must neither lock anybody for the time it went back by nor free them.
    try db.execute(
      sql: "UPDATE login_send SET sent_at = ? WHERE sent_at > ?", arguments: [now.milliseconds, now.milliseconds])
    try db.execute(sql: "DELETE FROM login_send WHERE sent_at <= ?", arguments: [now.milliseconds - hour])
    let sends = try newest(db, identifier: identifier)
    let missing = max(
      wait(after: sends, now: now, mode: mode), try clientWait(db, deviceID: deviceID, now: now, mode: mode))
    guard missing == 0 else { return .refused(wait: missing) }
    try db.execute(
      sql: "INSERT INTO login_send (identifier, device_id, sent_at) VALUES (?, ?, ?)",
      arguments: [identifier, deviceID, now.milliseconds])
    try db.execute(
      sql: "DELETE FROM login_send WHERE id <= (SELECT max(id) FROM login_send) - ?", arguments: [capacity])
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

  private static func clientWait(_ db: Database, deviceID: String, now: Timestamp, mode: LimitsMode) throws -> Int64 {
    guard mode == .prod else { return 0 }
    let edge = try Int64.fetchOne(
      db, sql: "SELECT sent_at FROM login_send WHERE device_id = ? ORDER BY sent_at DESC, id DESC LIMIT 1 OFFSET ?",
      arguments: [deviceID, clientCap - 1])
    return max(0, (edge ?? .min / 2) + clientWindow - now.milliseconds)
  }
}
