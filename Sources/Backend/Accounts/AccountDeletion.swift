import GRDB
import JSON
import RPC

/// The deletion of accounts: asked for, waited for, done.
struct AccountDeletion: Sendable {
  /// What the purge works with.
  let services: BackendServices
  /// The messages in memory.
  let inbox: Inbox
  /// The messages on the disk.
  let store: MessageStore

  /// Sets the instant at which an account goes and gives it.
  static func schedule(_ db: Database, accountID: String, now: Timestamp) throws -> Timestamp {
    let scheduled = now.adding(Lifetimes.deletionGrace)
    try db.execute(
      sql: "UPDATE account SET deletion_scheduled_for = ? WHERE account_id = ?",
      arguments: [scheduled.milliseconds, accountID])
    return scheduled
  }

  /// Whether an account's time has come.
  static func isDue(_ db: Database, now: Timestamp) throws -> Bool {
    try Bool.fetchOne(
      db, sql: "SELECT EXISTS (SELECT 1 FROM account WHERE deletion_scheduled_for <= ?)", arguments: [now.milliseconds])
      ?? false
  }

  /// Deletes every account whose time has come, with all that knows its identifier, in one transaction.
  func purge() async throws {
    let now = services.clock.now
    guard try await services.database.read({ db in try Self.isDue(db, now: now) }) else { return }
    let gone = try await services.database.write { db in try purge(db, now: now) }
    inbox.remove(to: Set(gone.map(\.identifier)))
    for account in gone { services.audit.record(AuditEvent(kind: .accountDeleted, accountID: account.accountID)) }
  }

  /// An account that was deleted.
  struct Gone: Sendable {
    /// Its id.
    let accountID: String
    /// What its owner signed in with.
    let identifier: String
  }

  /// The purge itself; profiles, cues, sessions, tokens and idempotency records go with the account's row.
  func purge(_ db: Database, now: Timestamp) throws -> [Gone] {
    let gone = try Row.fetchAll(
      db, sql: "SELECT account_id, identifier FROM account WHERE deletion_scheduled_for <= ?", arguments: [now.milliseconds]
    ).map { Gone(accountID: $0["account_id"], identifier: $0["identifier"]) }
    for account in gone {
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
    try store.remove(db, to: Set(gone.map(\.identifier)))
    return gone
  }
}
