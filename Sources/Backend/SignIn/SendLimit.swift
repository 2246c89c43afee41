import GRDB
import JSON

/// The limits of login messages: spacing and hourly cap of an identifier over links and codes together, and a cap of a client
/// instance (its `X-Device-ID`) over all identifiers. An address, which many may share, has no limit of its own but a share of the
/// memory: devices can be made up, and whoever makes them up must not have others forgotten.
enum SendLimit {
  /// How many sends of an identifier are kept: no more than the strictest cap looks at.
  static let remembered = 5
  /// How many messages a client instance may cause within `clientWindow` in `prod`.
  static let clientCap = 30
  /// Five minutes.
  static let clientWindow: Int64 = 300_000
  /// How many sends are kept in all; the oldest of the client with most of them go first.
  static let capacity = 100_000
  /// How many sends of one address are kept, whatever devices it names; in `prod` the next one waits until the oldest is an hour old.
  static let clientShare = 2_000
  /// How many go at a time, so that they are looked for seldom.
  static let batch = 1_000
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

  /// Who asks for a message.
  struct Sender: Sendable {
    /// The client instance.
    let deviceID: String
    /// The address that it comes from.
    let client: String
  }

  /// Takes a send of the identifier and the device, or says how many milliseconds are missing.
  ///
  /// Runs inside a write transaction, so that of two simultaneous calls at the edge one passes.
  static func take(_ db: Database, identifier: String, from sender: Sender, now: Timestamp, mode: LimitsMode) throws -> Taken {
    // A clock that went back must neither lock anybody for the time it went back by nor free them.
    try db.execute(
      sql: "UPDATE login_send SET sent_at = ? WHERE sent_at > ?", arguments: [now.milliseconds, now.milliseconds])
    try db.execute(sql: "DELETE FROM login_send WHERE sent_at <= ?", arguments: [now.milliseconds - hour])
    let sends = try newest(db, identifier: identifier)
    var missing = max(
      wait(after: sends, now: now, mode: mode), try clientWait(db, deviceID: sender.deviceID, now: now, mode: mode))
    let edge = try shareEdge(db, client: sender.client)
    // Without an hourly cap nothing hangs on what was counted first, so it gives way.
    if let edge, mode == .prod { missing = max(missing, edge + hour - now.milliseconds) }
    guard missing == 0 else { return .refused(wait: missing) }
    if edge != nil {
      try db.execute(
        sql: "DELETE FROM login_send WHERE id = (SELECT id FROM login_send WHERE client = ? ORDER BY sent_at, id LIMIT 1)",
        arguments: [sender.client])
    }
    try db.execute(
      sql: "INSERT INTO login_send (identifier, device_id, client, sent_at) VALUES (?, ?, ?, ?)",
      arguments: [identifier, sender.deviceID, sender.client, now.milliseconds])
    try makeRoom(db)
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

  /// When the oldest of a full share was sent, in milliseconds; nil while the address has room.
  private static func shareEdge(_ db: Database, client: String) throws -> Int64? {
    try Int64.fetchOne(
      db, sql: "SELECT sent_at FROM login_send WHERE client = ? ORDER BY sent_at DESC LIMIT 1 OFFSET ?",
      arguments: [client, clientShare - 1])
  }

  /// Has the address with most sends forget its oldest, if there are too many in all.
  private static func makeRoom(_ db: Database) throws {
    // The distance of the ends costs nothing to look at, and is no less than the number between them.
    let distance = try Int.fetchOne(db, sql: "SELECT (SELECT max(id) FROM login_send) - (SELECT min(id) FROM login_send)")
    guard let distance, distance >= capacity else { return }
    guard try Int.fetchOne(db, sql: "SELECT count(*) FROM login_send") ?? 0 > capacity else { return }
    try db.execute(
      sql: """
        DELETE FROM login_send WHERE id IN (
          SELECT id FROM login_send
          WHERE client = (SELECT client FROM login_send GROUP BY client ORDER BY count(*) DESC LIMIT 1)
          ORDER BY sent_at, id LIMIT ?)
        """, arguments: [batch])
  }

  /// How many sends are kept, in all and of the address with most of them.
  static func counts(_ db: Database) throws -> (all: Int, client: Int) {
    let row = try Row.fetchOne(
      db, sql: "SELECT sum(held) AS held, max(held) AS most FROM (SELECT count(*) AS held FROM login_send GROUP BY client)")
    return (row?["held"] ?? 0, row?["most"] ?? 0)
  }
}
