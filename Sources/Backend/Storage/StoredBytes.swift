import FoundationEssentials
import GRDB

/// Bytes in a database column.
struct StoredBytes: DatabaseValueConvertible, Hashable, Sendable {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var databaseValue: DatabaseValue { Data(bytes).databaseValue }

  /// Accepts a blob or a text.
  static func fromDatabaseValue(_ value: DatabaseValue) -> StoredBytes? {
    Data.fromDatabaseValue(value).map { StoredBytes(Array($0)) }
  }
}
