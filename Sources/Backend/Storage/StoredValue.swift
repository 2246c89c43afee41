import Storage

/// The rows of the key-value table `stored_value`, whose values are bytes.
enum StoredValue: String {
  /// The id of the data: a UUID created at the first start.
  case dataID = "data_id"
  /// The sealed key that codes are hashed with.
  case codeKey = "code_key"
  /// The offset of the clock, in milliseconds.
  case clockOffset = "clock_offset"
  /// How often the clock was set.
  case clockRevision = "clock_revision"
  /// The mode of the rate limits that was set at a backend which shares the database; empty for the configured one.
  case limitsMode = "limits_mode"
  /// The sealed certificate and key of backends that share the database.
  case identity

  func text(_ transaction: any StorageTransaction) throws -> String? {
    try bytes(transaction).map { String(decoding: $0, as: UTF8.self) }
  }

  func integer(_ transaction: any StorageTransaction) throws -> Int64? { try text(transaction).flatMap { Int64($0) } }

  func bytes(_ transaction: any StorageTransaction) throws -> [UInt8]? {
    guard let row = try transaction.first("SELECT value FROM stored_value WHERE name = ?", rawValue) else { return nil }
    // Earlier versions stored texts and numbers as such.
    switch try row.value("value") {
    case .bytes(let bytes): return bytes
    case .text(let text): return Array(text.utf8)
    case .integer(let number): return Array("\(number)".utf8)
    case .null, .real: return nil
    }
  }

  func set(_ transaction: any StorageTransaction, to value: String) throws { try set(transaction, to: Array(value.utf8)) }

  func set(_ transaction: any StorageTransaction, to value: Int64) throws { try set(transaction, to: "\(value)") }

  func set(_ transaction: any StorageTransaction, to value: [UInt8]) throws {
    try transaction.execute(
      "INSERT INTO stored_value (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", rawValue,
      value)
  }
}
