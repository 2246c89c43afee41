package import Domain
package import Storage
import Text
import Vault

/// Stores whether analytics are on for an account on a device. Accounts are stored as keyed tags, not by their ids.
package struct AccountSettingsStore: Sendable {
  private let storage: any StorageEngine
  private let tagKey: [UInt8]
  private let deviceID: String
  private let backendID: String

  /// The table has to exist (``schema``).
  package init(storage: any StorageEngine, tagKey: [UInt8], deviceID: String, backendID: String) {
    self.storage = storage
    self.tagKey = tagKey
    self.deviceID = deviceID
    self.backendID = backendID
  }

  /// The script that creates the table.
  static let schema = """
    CREATE TABLE account_setting (
      device_id TEXT NOT NULL REFERENCES device (device_id) ON DELETE CASCADE,
      backend_id TEXT NOT NULL,
      account_tag TEXT NOT NULL,
      analytics_opted_in {integer} NOT NULL,
      PRIMARY KEY (device_id, backend_id, account_tag)
    );
    """

  /// The script that adds the columns for the backend's last choice, and the login during which it was reported.
  static let backendChoice = """
    ALTER TABLE account_setting ADD COLUMN backend_opted_in {integer};
    ALTER TABLE account_setting ADD COLUMN backend_login TEXT;
    """

  /// Whether analytics are on for the account, which is the default.
  ///
  /// For nil, an account that is not known yet: whether no account on this device has opted out. A failed read counts as opted out.
  package func analyticsOptedIn(accountID: String?) async -> Bool {
    let tag = accountID.map { self.tag($0) }
    let (accounts, values) = tag.map { (" AND account_tag = ?", [$0.storageValue]) } ?? ("", [])
    let refused = try? await storage.read { [deviceID, backendID] transaction in
      try transaction.rows(
        "SELECT 1 AS one FROM account_setting WHERE device_id = ? AND backend_id = ?\(accounts) AND analytics_opted_in = 0 LIMIT 1",
        [deviceID.storageValue, backendID.storageValue] + values)
    }
    return refused?.isEmpty == true
  }

  /// Stores the account's choice; throws `AccountError.storageFull` if that fails.
  package func setAnalyticsOptedIn(accountID: String, _ isOptedIn: Bool) async throws(AccountError) {
    let tag = tag(accountID)
    do {
      try await storage.write { [deviceID, backendID] transaction in
        try transaction.execute(
          """
          INSERT INTO account_setting (device_id, backend_id, account_tag, analytics_opted_in) VALUES (?, ?, ?, ?)
          ON CONFLICT (device_id, backend_id, account_tag) DO UPDATE SET analytics_opted_in = excluded.analytics_opted_in
          """, deviceID, backendID, tag, isOptedIn)
      }
    } catch {
      throw .storageFull
    }
  }

  /// Adopts the account's choice as the backend states it.
  ///
  /// It decides if the backend reports a different value than before, or reports one for the first time in a login (`loginID`).
  /// Until then, the choice made on this device holds, because no endpoint takes it. Throws `AccountError.storageFull` if that fails.
  func adopt(_ isOptedIn: Bool, accountID: String, loginID: String) async throws(AccountError) {
    let tag = tag(accountID)
    do {
      let known = try await storage.read { [deviceID, backendID] transaction in
        try transaction.first(
          """
          SELECT 1 AS one FROM account_setting
          WHERE device_id = ? AND backend_id = ? AND account_tag = ? AND backend_opted_in = ? AND backend_login = ?
          """, deviceID, backendID, tag, isOptedIn, loginID)
      }
      guard known == nil else { return }
      try await storage.write { [deviceID, backendID] transaction in
        try transaction.execute(
          """
          INSERT INTO account_setting (device_id, backend_id, account_tag, analytics_opted_in, backend_opted_in, backend_login)
          VALUES (?, ?, ?, ?, ?, ?)
          ON CONFLICT (device_id, backend_id, account_tag) DO UPDATE SET analytics_opted_in = excluded.analytics_opted_in,
            backend_opted_in = excluded.backend_opted_in, backend_login = excluded.backend_login
          """, deviceID, backendID, tag, isOptedIn, isOptedIn, loginID)
      }
    } catch {
      throw .storageFull
    }
  }

  private func tag(_ accountID: String) -> String {
    Hex.encode(Array(HMAC.sha256(Array("account\n\(backendID)\n\(accountID)".utf8), key: tagKey).prefix(16)))
  }
}
