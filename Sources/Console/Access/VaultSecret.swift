import Storage

/// The console's own secrets in its database, each in a row sealed with the vault's key.
enum VaultSecret: String {
  /// The key of the tags that stand for identifiers.
  case tagKey = "identifier tags"
  /// The database's half of `DataEpoch`.
  case epoch

  /// The script that creates the table.
  static let schema = "CREATE TABLE vault_secret (name TEXT NOT NULL PRIMARY KEY, sealed {bytes} NOT NULL);"

  /// The sealed secret; nil if there is none.
  func sealed(_ transaction: any StorageTransaction) throws(StorageError) -> [UInt8]? {
    guard let row = try transaction.first("SELECT sealed FROM vault_secret WHERE name = ?", rawValue) else { return nil }
    // Only a foreign writer stores another type, and that does not open.
    return (try? row.bytes("sealed")) ?? []
  }

  /// Stores the sealed secret in place of the previous one.
  func keep(_ transaction: any StorageTransaction, _ sealed: [UInt8]) throws(StorageError) {
    try transaction.execute(
      "INSERT INTO vault_secret (name, sealed) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET sealed = excluded.sealed", rawValue,
      sealed)
  }
}
