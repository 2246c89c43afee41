import FoundationEssentials
import GRDB

/// Bytes as a database column.
struct StoredBytes: DatabaseValueConvertible, Hashable, Sendable {
  let bytes: [UInt8]

  /// Wraps bytes for the database.
  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var databaseValue: DatabaseValue { Data(bytes).databaseValue }

  static func fromDatabaseValue(_ value: DatabaseValue) -> StoredBytes? {
    Data.fromDatabaseValue(value).map { StoredBytes(Array($0)) }
  }
}
