package import Domain
import FoundationEssentials
package import GRDB
import Text
import Vault

/// Stores whether analytics are on for an account on a device. Accounts are stored as keyed tags, not by their ids.
package struct AccountSettingsStore: Sendable {
  private let database: any DatabaseWriter
  private let tagKey: [UInt8]
  private let deviceID: String
  private let backendID: String

  /// The table has to exist (`migrate`).
  package init(database: any DatabaseWriter, tagKey: [UInt8], deviceID: String, backendID: String) {
    self.database = database
    self.tagKey = tagKey
    self.deviceID = deviceID
    self.backendID = backendID
  }

  /// Creates the table.
  static func migrate(_ db: Database) throws {
    try db.create(table: "account_setting") { table in
      table.column("device_id", .text).notNull().references("device", onDelete: .cascade)
      table.column("backend_id", .text).notNull()
      table.column("account_tag", .text).notNull()
      table.column("analytics_opted_in", .boolean).notNull()
      table.primaryKey(["device_id", "backend_id", "account_tag"])
    }
  }

  /// Whether analytics are on for the account, which is the default.
  ///
  /// For nil, an account that is not known yet: whether no account on this device has opted out. A failed read counts as opted out.
  package func analyticsOptedIn(accountID: String?) async -> Bool {
    let tag = accountID.map { self.tag($0) }
    let isRefused = try? await database.fetch { db in
      try Bool.fetchOne(
        db.cachedStatement(
          sql: """
            SELECT EXISTS (SELECT 1 FROM account_setting WHERE device_id = ?1 AND backend_id = ?2
            AND (?3 IS NULL OR account_tag = ?3) AND NOT analytics_opted_in)
            """), arguments: [deviceID, backendID, tag])
    }
    return isRefused == .some(false)
  }

  /// Stores the account's choice; throws `AccountError.storageFull` if that fails.
  package func setAnalyticsOptedIn(accountID: String, _ isOptedIn: Bool) async throws(AccountError) {
    let tag = tag(accountID)
    do {
      try await database.write { db in
        try db.cachedStatement(
          sql: """
            INSERT INTO account_setting (device_id, backend_id, account_tag, analytics_opted_in) VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET analytics_opted_in = excluded.analytics_opted_in
            """
        ).execute(arguments: [deviceID, backendID, tag, isOptedIn])
      }
    } catch {
      throw .storageFull
    }
  }

  private func tag(_ accountID: String) -> String {
    Hex.encode(Array(HMAC.sha256(Array("account\n\(backendID)\n\(accountID)".utf8), key: tagKey).prefix(16)))
  }
}
