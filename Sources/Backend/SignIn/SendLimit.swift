import JSON
import Storage

/// The rate limits of login messages: spacing and hourly cap for each identifier, links and codes together, and a cap for each
/// device (`X-Device-ID`) over all identifiers. A client address, which many devices may share, has no limit of its own, only a
/// share of the stored sends: a client that invents device ids must not evict the sends of others.
enum SendLimit {
  /// The most messages to an identifier in an hour, in `prod`.
  static let sendsPerHour = 5
  /// The most messages that a device may request within `deviceWindow`, in `prod`.
  static let sendsPerDevice = 30
  /// Five minutes, in milliseconds.
  static let deviceWindow: Int64 = 300_000
  /// The most sends that are stored; beyond it, those of the address with the most sends are deleted, oldest first.
  static let capacity = 100_000
  /// The most sends that are stored for one address; in `prod`, the next must wait until the oldest is an hour old.
  static let sendsPerAddress = 2_000
  /// How many sends are deleted at a time, so that the deletion runs rarely.
  static let deletionBatch = 1_000
  private static let hour: Int64 = 3_600_000

  /// Returns the milliseconds until the next message may be sent, 0 if it may be sent now; `sends` is newest first.
  static func wait(after sends: [Timestamp], now: Timestamp, mode: LimitsMode) -> Int64 {
    guard let newest = sends.first else { return 0 }
    var wait = newest.milliseconds + mode.spacing - now.milliseconds
    if let cap = mode.hourlyCap, sends.count >= cap {
      wait = max(wait, sends[cap - 1].milliseconds + hour - now.milliseconds)
    }
    return max(0, wait)
  }

  /// Rounds milliseconds up to whole seconds.
  static func wholeSeconds(_ milliseconds: Int64) -> Int { Int(clamping: (milliseconds + 999) / 1000) }

  /// The sender of a request for a message.
  struct Sender: Sendable {
    let deviceID: String
    /// The address of the client.
    let address: String
  }

  /// Counts a message, or rejects it with the time to wait.
  ///
  /// Call it in a write transaction, so that of two simultaneous calls at the limit only one passes.
  static func record(
    _ transaction: any StorageTransaction, identifier: String, from sender: Sender, now: Timestamp, mode: LimitsMode
  ) throws -> Outcome {
    // If the clock was set back, sends from the future would block their identifiers until it catches up.
    try transaction.execute("UPDATE login_send SET sent_at = ? WHERE sent_at > ?", now.milliseconds, now.milliseconds)
    try transaction.execute("DELETE FROM login_send WHERE sent_at <= ?", now.milliseconds - hour)
    let sends = try newest(transaction, identifier: identifier)
    var delay = max(
      wait(after: sends, now: now, mode: mode), try deviceWait(transaction, deviceID: sender.deviceID, now: now, mode: mode))
    let oldestOfAddress = try oldestSendOfAddressAtLimit(transaction, address: sender.address)
    if let oldestOfAddress, mode == .prod { delay = max(delay, oldestOfAddress + hour - now.milliseconds) }
    guard delay == 0 else { return .refused(wait: delay) }
    // Modes without an hourly cap do not need the oldest send.
    if oldestOfAddress != nil {
      try transaction.execute(
        "DELETE FROM login_send WHERE id = (SELECT id FROM login_send WHERE client = ? ORDER BY sent_at, id LIMIT 1)",
        sender.address)
    }
    try transaction.execute(
      "INSERT INTO login_send (identifier, device_id, client, sent_at) VALUES (?, ?, ?, ?)", identifier, sender.deviceID,
      sender.address, now.milliseconds)
    try enforceCapacity(transaction)
    return .sent(cooldown: wait(after: [now] + sends, now: now, mode: mode))
  }

  /// The result of `record`; times are in milliseconds.
  enum Outcome: Equatable, Sendable {
    /// The message was counted; the next may be sent after `cooldown`.
    case sent(cooldown: Int64)
    /// The message may be sent after `wait`.
    case refused(wait: Int64)
  }

  private static func newest(_ transaction: any StorageTransaction, identifier: String) throws -> [Timestamp] {
    try transaction.rows(
      "SELECT sent_at FROM login_send WHERE identifier = ? ORDER BY sent_at DESC, id DESC LIMIT ?", identifier, sendsPerHour
    ).map { Timestamp(milliseconds: try $0.integer("sent_at")) }
  }

  private static func deviceWait(
    _ transaction: any StorageTransaction, deviceID: String, now: Timestamp, mode: LimitsMode
  ) throws -> Int64 {
    guard mode == .prod else { return 0 }
    let oldest = try transaction.number(
      "SELECT sent_at FROM login_send WHERE device_id = ? ORDER BY sent_at DESC, id DESC LIMIT 1 OFFSET ?", deviceID,
      sendsPerDevice - 1)
    return max(0, (oldest ?? .min / 2) + deviceWindow - now.milliseconds)
  }

  /// Returns when the oldest send of the address was, in milliseconds, nil if the address is below its share.
  private static func oldestSendOfAddressAtLimit(_ transaction: any StorageTransaction, address: String) throws -> Int64? {
    try transaction.number(
      "SELECT sent_at FROM login_send WHERE client = ? ORDER BY sent_at DESC LIMIT 1 OFFSET ?", address, sendsPerAddress - 1)
  }

  /// Deletes the oldest sends of the address with the most sends, if there are too many in total.
  private static func enforceCapacity(_ transaction: any StorageTransaction) throws {
    // The difference of the ids is cheap to read and never less than the count.
    let span = try transaction.number("SELECT (SELECT max(id) FROM login_send) - (SELECT min(id) FROM login_send) AS span")
    guard let span, span >= capacity else { return }
    guard try transaction.number("SELECT count(*) AS sends FROM login_send") ?? 0 > capacity else { return }
    try transaction.execute(
      """
      DELETE FROM login_send WHERE id IN (
        SELECT id FROM login_send
        WHERE client = (SELECT client FROM login_send GROUP BY client ORDER BY count(*) DESC LIMIT 1)
        ORDER BY sent_at, id LIMIT ?)
      """, deletionBatch)
  }

  /// Returns how many sends are stored, in total and for the address with the most.
  static func counts(_ transaction: any StorageTransaction) throws -> (total: Int, largestAddress: Int) {
    let row = try transaction.first(
      """
      SELECT CAST(sum(sends) AS BIGINT) AS total, max(sends) AS most
      FROM (SELECT count(*) AS sends FROM login_send GROUP BY client) AS client
      """)
    return (try row?.optionalInt("total") ?? 0, try row?.optionalInt("most") ?? 0)
  }
}
