import FoundationEssentials
import GRDB

/// The console's own secrets in its database, each in a row sealed with the vault's key.
enum VaultSecret: String {
  /// The key of the tags that stand for identifiers.
  case tagKey = "identifier tags"
  /// The database's half of `DataEpoch`.
  case epoch

  /// Creates the table.
  static func migrate(_ db: Database) throws {
    try db.create(table: "vault_secret") { table in
      table.primaryKey("name", .text)
      table.column("sealed", .blob).notNull()
    }
  }

  /// The sealed secret; nil if there is none.
  func sealed(_ db: Database) throws -> [UInt8]? {
    try Row.fetchOne(db, sql: "SELECT sealed FROM vault_secret WHERE name = ?", arguments: [rawValue]).map { row in
      // Only a foreign writer stores another type, and that does not open.
      [UInt8](Data.fromDatabaseValue(row["sealed"]) ?? Data())
    }
  }

  /// Stores the sealed secret in place of the previous one.
  func keep(_ db: Database, _ sealed: [UInt8]) throws {
    try db.execute(
      sql: "INSERT INTO vault_secret (name, sealed) VALUES (?, ?) ON CONFLICT DO UPDATE SET sealed = excluded.sealed",
      arguments: [rawValue, Data(sealed)])
  }
}
