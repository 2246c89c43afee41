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

/// A row of a result.
package struct StorageRow: Sendable {
  /// The names of the columns, shared by all rows of a result.
  let names: [String]
  let values: [StorageValue]

  /// The value of a column; throws ``StorageError/mismatch(_:)`` if there is none of that name.
  package func value(_ name: String) throws(StorageError) -> StorageValue {
    guard let index = names.firstIndex(of: name) else { throw .mismatch("no column \(name)") }
    return values[index]
  }

  /// A whole number; throws ``StorageError/mismatch(_:)`` for another type.
  package func integer(_ name: String) throws(StorageError) -> Int64 {
    guard case .integer(let value) = try value(name) else { throw .mismatch("\(name) is no whole number") }
    return value
  }

  /// A text; throws ``StorageError/mismatch(_:)`` for another type.
  package func text(_ name: String) throws(StorageError) -> String {
    guard case .text(let value) = try value(name) else { throw .mismatch("\(name) is no text") }
    return value
  }

  /// A text, or nil for null; throws ``StorageError/mismatch(_:)`` for another type.
  package func optionalText(_ name: String) throws(StorageError) -> String? {
    try value(name) == .null ? nil : try text(name)
  }

  /// Bytes; throws ``StorageError/mismatch(_:)`` for another type.
  package func bytes(_ name: String) throws(StorageError) -> [UInt8] {
    guard case .bytes(let value) = try value(name) else { throw .mismatch("\(name) is not bytes") }
    return value
  }
}
