import GRDB
import JSON
import Storage
import Vault

/// The messages in the database, sealed because they contain live secrets; expired ones are deleted.
struct MessageStore: Sendable {
  let database: DatabaseQueue
  let writer: GroupedWriter
  /// The key that seals messages; it is not in the database.
  let key: SealingKey

  private static let associatedData = Array("inbox_message".utf8)

  /// Stores a message and deletes the oldest beyond the capacity of the inbox; a decoy takes the same time and is not stored.
  func add(_ item: MessageDelivery.Item, now: Timestamp) async throws {
    let message = item.message
    let expiresAt = item.isDecoy ? 0 : message.expiresAt.milliseconds
    let sealed = StoredBytes(key.seal(try JSONCoding.encode(message), associatedData: Self.associatedData))
    try await writer.write { db in
      try db.cachedStatement(
        sql: "INSERT INTO inbox_message (sealed, expires_at) VALUES (?, ?)"
      ).execute(arguments: [sealed, expiresAt])
      try db.cachedStatement(
        sql: "DELETE FROM inbox_message WHERE expires_at <= ? OR id <= (SELECT max(id) FROM inbox_message) - ?"
      ).execute(arguments: [now.milliseconds, Inbox.capacity])
    }
  }

  /// Deletes the messages to those identifiers; opens every message, since the recipient is sealed too.
  func remove(_ db: Database, to identifiers: Set<String>) throws {
    guard !identifiers.isEmpty else { return }
    for row in try Row.fetchAll(db.cachedStatement(sql: "SELECT id, sealed FROM inbox_message")) {
      let sealed: StoredBytes = row["sealed"]
      guard let message = opened(sealed), identifiers.contains(message.to) else { continue }
      try db.cachedStatement(
        sql: "DELETE FROM inbox_message WHERE id = ?"
      ).execute(arguments: [row["id"] as Int64])
    }
  }

  /// Returns the messages that have not expired, oldest first, without those that the key does not open.
  func load(now: Timestamp) throws -> [InboxMessage] {
    let rows = try database.read { db in
      try StoredBytes.fetchAll(
        db.cachedStatement(sql: "SELECT sealed FROM inbox_message WHERE expires_at > ? ORDER BY id"),
        arguments: [now.milliseconds])
    }
    return rows.compactMap(opened)
  }

  private func opened(_ sealed: StoredBytes) -> InboxMessage? {
    guard let bytes = try? key.open(sealed.bytes, associatedData: Self.associatedData) else { return nil }
    return try? JSONCoding.decode(InboxMessage.self, from: bytes)
  }
}
