import GRDB

/// The single values that the database keeps beside its tables.
enum StoredValue: String {
  /// The id of the data, a UUID made at first run.
  case dataID = "data_id"
  /// The key that codes are hashed with, sealed.
  case codeKey = "code_key"
  /// The clock's offset in milliseconds.
  case clockOffset = "clock_offset"

  /// The value as text; nil while it is not set.
  func text(_ db: Database) throws -> String? {
    try String.fetchOne(db, sql: "SELECT value FROM stored_value WHERE name = ?", arguments: [rawValue])
  }

  /// The value as a number; nil while it is not set.
  func integer(_ db: Database) throws -> Int64? {
    try Int64.fetchOne(db, sql: "SELECT value FROM stored_value WHERE name = ?", arguments: [rawValue])
  }

  /// The value as bytes; nil while it is not set.
  func bytes(_ db: Database) throws -> [UInt8]? {
    try StoredBytes.fetchOne(db, sql: "SELECT value FROM stored_value WHERE name = ?", arguments: [rawValue])?.bytes
  }

  /// Sets the value.
  func set(_ db: Database, to value: some DatabaseValueConvertible) throws {
    try db.execute(
      sql: "INSERT INTO stored_value (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      arguments: [rawValue, value])
  }
}
