import FoundationEssentials
import GRDB

/// What the console's database keeps sealed with the vault's key for the console itself, a row each.
enum VaultSecret: String {
  /// The key of the tags that stand for identifiers.
  case tagKey = "identifier tags"
  /// The database's half of `DataEpoch`.
  case epoch

  /// Makes the table.
  static func migrate(_ db: Database) throws {
    try db.create(table: "vault_secret") { table in
      table.primaryKey("name", .text)
      table.column("sealed", .blob).notNull()
    }
  }

  /// What is kept, as it is sealed; nil if there is nothing.
  func sealed(_ db: Database) throws -> [UInt8]? {
    try Row.fetchOne(db, sql: "SELECT sealed FROM vault_secret WHERE name = ?", arguments: [rawValue]).map { row in
      // Of another type only if somebody wrote it there; it does not open then.
      [UInt8](Data.fromDatabaseValue(row["sealed"]) ?? Data())
    }
  }

  /// Keeps it in place of the one before.
  func keep(_ db: Database, _ sealed: [UInt8]) throws {
    try db.execute(
      sql: "INSERT INTO vault_secret (name, sealed) VALUES (?, ?) ON CONFLICT DO UPDATE SET sealed = excluded.sealed",
      arguments: [rawValue, Data(sealed)])
  }
}
