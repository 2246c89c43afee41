import GRDB
import JSON
import RPC

/// Schedules and carries out the deletion of accounts.
struct AccountDeletion: Sendable {
  let services: BackendServices
  let inbox: Inbox
  let store: MessageStore

  /// Schedules the deletion of an account and returns its date.
  static func schedule(_ db: Database, accountID: String, now: Timestamp) throws -> Timestamp {
    let scheduled = now.adding(Lifetimes.deletionGrace)
    try db.execute(
      sql: "UPDATE account SET deletion_scheduled_for = ? WHERE account_id = ?",
      arguments: [scheduled.milliseconds, accountID])
    return scheduled
  }

  /// Whether an account is due for deletion.
  static func isDue(_ db: Database, now: Timestamp) throws -> Bool {
    try Bool.fetchOne(
      db, sql: "SELECT EXISTS (SELECT 1 FROM account WHERE deletion_scheduled_for <= ?)", arguments: [now.milliseconds])
      ?? false
  }

  /// Deletes every account that is due, and everything that contains its identifier, in one transaction.
  func purge() async throws {
    let now = services.clock.now
    guard try await services.database.fetch({ db in try Self.isDue(db, now: now) }) else { return }
    let deleted = try await services.database.write { db in try purge(db, now: now) }
    inbox.remove(to: Set(deleted.map(\.identifier)))
    for account in deleted { services.audit.record(AuditEvent(kind: .accountDeleted, accountID: account.accountID)) }
  }

  struct DeletedAccount: Sendable {
    let accountID: String
    let identifier: String
  }

  /// Deletes the rows; those of profiles, cues, sessions, tokens and idempotency records follow by foreign key.
  func purge(_ db: Database, now: Timestamp) throws -> [DeletedAccount] {
    let deleted = try Row.fetchAll(
      db, sql: "SELECT account_id, identifier FROM account WHERE deletion_scheduled_for <= ?", arguments: [now.milliseconds]
    ).map { DeletedAccount(accountID: $0["account_id"], identifier: $0["identifier"]) }
    for account in deleted {
      let devices = try String.fetchAll(
        db, sql: "SELECT DISTINCT device_id FROM session WHERE account_id = ?", arguments: [account.accountID])
      try db.execute(sql: "DELETE FROM account WHERE account_id = ?", arguments: [account.accountID])
      for device in devices {
        try db.execute(
          sql: "DELETE FROM device WHERE device_id = ? AND device_id NOT IN (SELECT device_id FROM session)",
          arguments: [device])
      }
      for table in ["login_challenge", "login_send"] {
        try db.execute(sql: "DELETE FROM \(table) WHERE identifier = ?", arguments: [account.identifier])
      }
    }
    try store.remove(db, to: Set(deleted.map(\.identifier)))
    return deleted
  }
}
