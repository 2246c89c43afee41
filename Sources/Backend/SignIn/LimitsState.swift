import GRDB
package import JSON

/// What the limits count now, for developers: identifiers stand in it, as they do in the inbox.
package struct LimitsState: Encodable, Equatable, Sendable {
  /// What was counted for one identifier within the hour.
  package struct Entry: Encodable, Equatable, Sendable {
    /// The normalized address or number.
    package let identifier: String
    /// How many messages were counted.
    package let sent: Int
    /// The newest of them.
    package let lastSentAt: Timestamp
    /// When the next one may go.
    package let nextAt: Timestamp

    /// The contract's style of names.
    enum CodingKeys: String, CodingKey {
      case identifier, sent
      case lastSentAt = "last_sent_at"
      case nextAt = "next_at"
    }
  }

  /// How many entries are told.
  static let capacity = 100

  /// The mode in force.
  package let mode: LimitsMode
  /// The identifiers, the one asked for last first; at most 100.
  package let entries: [Entry]

  /// Reads what is counted.
  static func read(_ db: Database, mode: LimitsMode, now: Timestamp) throws -> LimitsState {
    let identifiers = try String.fetchAll(
      db, sql: "SELECT identifier FROM login_send WHERE sent_at > ? GROUP BY identifier ORDER BY max(id) DESC LIMIT ?",
      arguments: [now.milliseconds - 3_600_000, capacity])
    return LimitsState(
      mode: mode,
      entries: try identifiers.compactMap { identifier in
        let sends = try Int64.fetchAll(
          db, sql: "SELECT sent_at FROM login_send WHERE identifier = ? ORDER BY sent_at DESC, id DESC",
          arguments: [identifier]
        ).map { Timestamp(milliseconds: $0) }
        guard let last = sends.first else { return nil }
        let wait = SendLimit.wait(after: Array(sends.prefix(SendLimit.remembered)), now: now, mode: mode)
        return Entry(identifier: identifier, sent: sends.count, lastSentAt: last, nextAt: now.adding(wait))
      })
  }
}

extension ReferenceBackend {
  /// The mode in force and what is counted; throws `database`.
  package func limitsState() async throws(BackendError) -> LimitsState {
    let (mode, now) = (limits, clock.now)
    do {
      return try await services.database.read { db in try LimitsState.read(db, mode: mode, now: now) }
    } catch {
      throw .database(DatabaseFault.text(error))
    }
  }
}
