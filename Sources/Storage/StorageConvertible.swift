package import FoundationEssentials

/// A Swift value that a column can store.
package protocol StorageConvertible {
  /// The value as a column stores it.
  var storageValue: StorageValue { get }
}

extension StorageValue: StorageConvertible {
  package var storageValue: StorageValue { self }
}

extension String: StorageConvertible {
  package var storageValue: StorageValue { .text(self) }
}

extension Int: StorageConvertible {
  package var storageValue: StorageValue { .integer(Int64(self)) }
}

extension Int64: StorageConvertible {
  package var storageValue: StorageValue { .integer(self) }
}

extension Double: StorageConvertible {
  package var storageValue: StorageValue { .real(self) }
}

/// 0 or 1.
extension Bool: StorageConvertible {
  package var storageValue: StorageValue { .integer(self ? 1 : 0) }
}

extension Data: StorageConvertible {
  package var storageValue: StorageValue { .bytes(Array(self)) }
}

extension [UInt8]: StorageConvertible {
  package var storageValue: StorageValue { .bytes(self) }
}

extension Optional: StorageConvertible where Wrapped: StorageConvertible {
  package var storageValue: StorageValue { self?.storageValue ?? .null }
}

/// A value of a column or an argument of a statement.
package enum StorageValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  /// Without the character U+0000, which PostgreSQL cannot store.
  case text(String)
  case bytes([UInt8])

  /// Throws ``StorageError/mismatch(_:)`` for a text that PostgreSQL cannot store, also in SQLite.
  static func check(_ values: [StorageValue]) throws(StorageError) {
    for case .text(let text) in values where text.utf8.contains(0) { throw .mismatch("a text contains the character U+0000") }
  }
}

extension StorageValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(stringLiteral value: String) { self = .text(value) }
  package init(nilLiteral: ()) { self = .null }
}
