import GRDB
import JSON
import Vault

/// The messages on the disk, sealed, as each carries live secrets; those whose link and code have ended are dropped.
struct MessageStore: Sendable {
  /// The database that holds them.
  let database: DatabaseQueue
  /// What opens them; it does not lie in the database.
  let key: SealingKey

  private static let place = Array("inbox_message".utf8)

  /// Keeps a message, and no more than the inbox does; a decoy costs the same and is gone with the transaction.
  func add(_ parcel: MessageDelivery.Parcel, now: Timestamp) async throws {
    let message = parcel.message
    let expiresAt = parcel.isDecoy ? 0 : message.expiresAt.milliseconds
    let sealed = StoredBytes(key.seal(try JSONCoding.encode(message), associatedData: Self.place))
    try await database.write { db in
      try db.execute(
        sql: "INSERT INTO inbox_message (sealed, expires_at) VALUES (?, ?)", arguments: [sealed, expiresAt])
      try db.execute(
        sql: "DELETE FROM inbox_message WHERE expires_at <= ? OR id <= (SELECT max(id) FROM inbox_message) - ?",
        arguments: [now.milliseconds, Inbox.capacity])
    }
  }

  /// Forgets the messages to those identifiers, which only the key tells.
  func remove(_ db: Database, to identifiers: Set<String>) throws {
    guard !identifiers.isEmpty else { return }
    for row in try Row.fetchAll(db, sql: "SELECT id, sealed FROM inbox_message") {
      let sealed: StoredBytes = row["sealed"]
      guard let message = opened(sealed), identifiers.contains(message.to) else { continue }
      try db.execute(sql: "DELETE FROM inbox_message WHERE id = ?", arguments: [row["id"] as Int64])
    }
  }

  /// The messages that are still of use, oldest first; one that the key does not open is left out.
  func load(now: Timestamp) throws -> [InboxMessage] {
    let rows = try database.read { db in
      try StoredBytes.fetchAll(
        db, sql: "SELECT sealed FROM inbox_message WHERE expires_at > ? ORDER BY id", arguments: [now.milliseconds])
    }
    return rows.compactMap(opened)
  }

  private func opened(_ sealed: StoredBytes) -> InboxMessage? {
    guard let bytes = try? key.open(sealed.bytes, associatedData: Self.place) else { return nil }
    return try? JSONCoding.decode(InboxMessage.self, from: bytes)
  }
}
