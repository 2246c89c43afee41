import GRDB

/// The rows of the key-value table `stored_value`.
enum StoredValue: String {
  /// The id of the data: a UUID created at the first start.
  case dataID = "data_id"
  /// The sealed key that codes are hashed with.
  case codeKey = "code_key"
  /// The offset of the clock, in milliseconds.
  case clockOffset = "clock_offset"

  func text(_ db: Database) throws -> String? {
    try String.fetchOne(db.cachedStatement(sql: "SELECT value FROM stored_value WHERE name = ?"), arguments: [rawValue])
  }

  func integer(_ db: Database) throws -> Int64? {
    try Int64.fetchOne(db.cachedStatement(sql: "SELECT value FROM stored_value WHERE name = ?"), arguments: [rawValue])
  }

  func bytes(_ db: Database) throws -> [UInt8]? {
    try StoredBytes.fetchOne(db.cachedStatement(sql: "SELECT value FROM stored_value WHERE name = ?"), arguments: [rawValue])?
      .bytes
  }

  func set(_ db: Database, to value: some DatabaseValueConvertible) throws {
    try db.cachedStatement(
      sql: "INSERT INTO stored_value (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
    ).execute(arguments: [rawValue, value])
  }
}
