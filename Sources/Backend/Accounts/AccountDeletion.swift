import JSON
import Storage

/// Schedules and carries out the deletion of accounts.
struct AccountDeletion: Sendable {
  let services: BackendServices
  let inbox: Inbox
  let store: MessageStore

  /// Schedules the deletion of an account and returns its date.
  static func schedule(_ transaction: any StorageTransaction, accountID: String, now: Timestamp) throws -> Timestamp {
    let scheduled = now.adding(Lifetimes.deletionGrace)
    try transaction.execute(
      "UPDATE account SET deletion_scheduled_for = ? WHERE account_id = ?", scheduled.milliseconds, accountID)
    return scheduled
  }

  /// Whether an account is due for deletion.
  private static func isDue(_ transaction: any StorageTransaction, now: Timestamp) throws -> Bool {
    try transaction.first("SELECT 1 AS one FROM account WHERE deletion_scheduled_for <= ? LIMIT 1", now.milliseconds) != nil
  }

  /// Deletes every account that is due, and everything that contains its identifier, in one transaction.
  func purge() async throws {
    let now = services.clock.now
    guard try await services.storage.read({ transaction in try Self.isDue(transaction, now: now) }) else { return }
    let deleted = try await services.storage.write { transaction in try purge(transaction, now: now) }
    inbox.remove(to: Set(deleted.map(\.identifier)))
    for account in deleted { services.audit.record(AuditEvent(kind: .accountDeleted, accountID: account.accountID)) }
  }

  struct DeletedAccount: Sendable {
    let accountID: String
    let identifier: String
  }

  /// Deletes the rows; those of profiles, cues, sessions, tokens and idempotency records follow by foreign key.
  func purge(_ transaction: any StorageTransaction, now: Timestamp) throws -> [DeletedAccount] {
    let deleted = try transaction.rows(
      "SELECT account_id, identifier FROM account WHERE deletion_scheduled_for <= ?", now.milliseconds
    ).map { DeletedAccount(accountID: try $0.text("account_id"), identifier: try $0.text("identifier")) }
    for account in deleted {
      let devices = try transaction.rows("SELECT DISTINCT device_id FROM session WHERE account_id = ?", account.accountID)
        .map { try $0.text("device_id") }
      try transaction.execute("DELETE FROM account WHERE account_id = ?", account.accountID)
      for device in devices {
        try transaction.execute(
          "DELETE FROM device WHERE device_id = ? AND device_id NOT IN (SELECT device_id FROM session)", device)
      }
      for table in ["login_challenge", "login_send"] {
        try transaction.execute("DELETE FROM \(table) WHERE identifier = ?", account.identifier)
      }
    }
    try store.remove(transaction, to: Set(deleted.map(\.identifier)))
    return deleted
  }
}
