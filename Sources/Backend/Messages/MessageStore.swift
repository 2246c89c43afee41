import JSON
import Storage
import Vault

/// The messages in the database, sealed because they contain live secrets; expired ones are deleted.
struct MessageStore: Sendable {
  let storage: any StorageEngine
  /// The key that seals messages; it is not in the database.
  let key: SealingKey

  private static let associatedData = Array("inbox_message".utf8)

  /// Stores a message and deletes the oldest beyond the capacity of the inbox; a decoy takes the same time and is not stored.
  func add(_ item: MessageDelivery.Item, now: Timestamp) async throws {
    let message = item.message
    let expiresAt = item.isDecoy ? 0 : message.expiresAt.milliseconds
    let sealed = key.seal(try JSONCoding.encode(message), associatedData: Self.associatedData)
    try await storage.write { transaction in
      try transaction.execute("INSERT INTO inbox_message (sealed, expires_at) VALUES (?, ?)", sealed, expiresAt)
      try transaction.execute(
        "DELETE FROM inbox_message WHERE expires_at <= ? OR id <= (SELECT max(id) FROM inbox_message) - ?", now.milliseconds,
        Inbox.capacity)
    }
  }

  /// Deletes the messages to those identifiers; opens every message, because the recipient is sealed too.
  func remove(_ transaction: any StorageTransaction, to identifiers: Set<String>) throws {
    guard !identifiers.isEmpty else { return }
    for row in try transaction.rows("SELECT id, sealed FROM inbox_message") {
      guard let message = opened(try row.bytes("sealed")), identifiers.contains(message.to) else { continue }
      try transaction.execute("DELETE FROM inbox_message WHERE id = ?", try row.integer("id"))
    }
  }

  /// Returns the messages that have not expired, oldest first, without those that the key does not open.
  func load(now: Timestamp) async throws -> [InboxMessage] {
    try await storage.read { transaction in
      try transaction.rows("SELECT sealed FROM inbox_message WHERE expires_at > ? ORDER BY id", now.milliseconds)
        .compactMap { opened(try $0.bytes("sealed")) }
    }
  }

  private func opened(_ sealed: [UInt8]) -> InboxMessage? {
    guard let bytes = try? key.open(sealed, associatedData: Self.associatedData) else { return nil }
    return try? JSONCoding.decode(InboxMessage.self, from: bytes)
  }
}
