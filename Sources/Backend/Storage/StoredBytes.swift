import FoundationEssentials
import GRDB

/// Bytes as a database column.
struct StoredBytes: DatabaseValueConvertible, Hashable, Sendable {
  /// The bytes.
  let bytes: [UInt8]

  /// Wraps bytes for the database.
  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// A blob.
  var databaseValue: DatabaseValue { Data(bytes).databaseValue }

  /// The bytes of a blob or text.
  static func fromDatabaseValue(_ value: DatabaseValue) -> StoredBytes? {
    Data.fromDatabaseValue(value).map { StoredBytes(Array($0)) }
  }
}
