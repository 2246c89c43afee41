package import JSON
import Storage

/// The current counters of the rate limits, for developers; they contain identifiers in the clear, as the inbox does.
package struct LimitsState: Encodable, Equatable, Sendable {
  /// The messages to one identifier in the last hour.
  package struct Entry: Encodable, Equatable, Sendable {
    /// The normalized email address or phone number.
    package let identifier: String
    package let sent: Int
    package let lastSentAt: Timestamp
    /// When the next message may be sent.
    package let nextAt: Timestamp

    enum CodingKeys: String, CodingKey {
      case identifier, sent
      case lastSentAt = "last_sent_at"
      case nextAt = "next_at"
    }
  }

  /// The most entries that are returned.
  static let capacity = 100

  package let mode: LimitsMode
  /// The most recent identifier first; at most 100.
  package let entries: [Entry]

  static func read(_ transaction: any StorageTransaction, mode: LimitsMode, now: Timestamp) throws -> LimitsState {
    let identifiers = try transaction.rows(
      "SELECT identifier FROM login_send WHERE sent_at > ? GROUP BY identifier ORDER BY max(id) DESC LIMIT ?",
      now.milliseconds - 3_600_000, capacity
    ).map { try $0.text("identifier") }
    return LimitsState(
      mode: mode,
      entries: try identifiers.compactMap { identifier in
        let sends = try transaction.rows(
          "SELECT sent_at FROM login_send WHERE identifier = ? ORDER BY sent_at DESC, id DESC", identifier
        ).map { Timestamp(milliseconds: try $0.integer("sent_at")) }
        guard let last = sends.first else { return nil }
        let wait = SendLimit.wait(after: Array(sends.prefix(SendLimit.sendsPerHour)), now: now, mode: mode)
        return Entry(identifier: identifier, sent: sends.count, lastSentAt: last, nextAt: now.adding(wait))
      })
  }
}

extension ReferenceBackend {
  /// Returns the mode and the counters; throws `database`.
  package func limitsState() async throws(BackendStartError) -> LimitsState {
    do {
      try await services.catchUp()
      let mode = limits
      let now = clock.now
      return try await services.storage.read { transaction in try LimitsState.read(transaction, mode: mode, now: now) }
    } catch {
      throw .database(DatabaseFault.description(of: error))
    }
  }
}
