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

  /// The numbers that columns hold: they leave room for sums, and JSON keeps them exact (RFC 8259 §6).
  private static let integers: ClosedRange<Int64> = -(1 << 53)...(1 << 53)
  /// The range of sizes and counts, which leaves room for sums of many.
  private static let counts: ClosedRange<Int64> = -(1 << 40)...(1 << 40)
  /// The range of seconds and shares.
  private static let reals = -1e12...1e12

  /// A whole number; throws ``StorageError/mismatch(_:)`` for another type, and for a number that the program never stores.
  package func integer(_ name: String) throws(StorageError) -> Int64 { try integer(name, in: Self.integers) }

  private func integer(_ name: String, in bounds: ClosedRange<Int64>) throws(StorageError) -> Int64 {
    guard case .integer(let value) = try value(name) else { throw .mismatch("\(name) is no whole number") }
    guard bounds.contains(value) else { throw .mismatch("\(name) is out of range") }
    return value
  }

  /// A whole number, or nil for null; throws like ``integer(_:)``.
  package func optionalInteger(_ name: String) throws(StorageError) -> Int64? { try ifPresent(name, integer) }

  /// A count; throws like ``integer(_:)``.
  package func int(_ name: String) throws(StorageError) -> Int { Int(try integer(name, in: Self.counts)) }

  /// A count, or nil for null; throws like ``integer(_:)``.
  package func optionalInt(_ name: String) throws(StorageError) -> Int? { try ifPresent(name, int) }

  /// Whether a number is not 0; throws like ``integer(_:)``.
  package func flag(_ name: String) throws(StorageError) -> Bool { try integer(name) != 0 }

  /// A number, between ±10¹²; throws ``StorageError/mismatch(_:)`` for another type, and for NaN (IEEE 754).
  package func real(_ name: String) throws(StorageError) -> Double {
    let number =
      switch try value(name) {
      case .real(let number): number
      case .integer(let number): Double(number)
      default: throw StorageError.mismatch("\(name) is no number")
      }
    guard !number.isNaN else { throw .mismatch("\(name) is no number") }
    return min(max(number, Self.reals.lowerBound), Self.reals.upperBound)
  }

  /// A number, or nil for null; throws like ``real(_:)``.
  package func optionalReal(_ name: String) throws(StorageError) -> Double? { try ifPresent(name, real) }

  /// A text; throws ``StorageError/mismatch(_:)`` for another type.
  package func text(_ name: String) throws(StorageError) -> String {
    guard case .text(let value) = try value(name) else { throw .mismatch("\(name) is no text") }
    return value
  }

  /// A text, or nil for null; throws like ``text(_:)``.
  package func optionalText(_ name: String) throws(StorageError) -> String? { try ifPresent(name, text) }

  /// Bytes; throws ``StorageError/mismatch(_:)`` for another type.
  package func bytes(_ name: String) throws(StorageError) -> [UInt8] {
    guard case .bytes(let value) = try value(name) else { throw .mismatch("\(name) is not bytes") }
    return value
  }

  /// Bytes, or nil for null; throws like ``bytes(_:)``.
  package func optionalBytes(_ name: String) throws(StorageError) -> [UInt8]? { try ifPresent(name, bytes) }

  private func ifPresent<Value>(
    _ name: String, _ read: (String) throws(StorageError) -> Value
  ) throws(StorageError) -> Value? { try value(name) == .null ? nil : try read(name) }
}
