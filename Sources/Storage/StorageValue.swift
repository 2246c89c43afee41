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
