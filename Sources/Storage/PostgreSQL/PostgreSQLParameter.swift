/// A value in PostgreSQL's binary format.
struct PostgreSQLParameter {
  /// The identifiers of types in `pg_type`.
  private enum TypeID {
    static let bool: UInt32 = 16
    static let bytes: UInt32 = 17
    static let int8: UInt32 = 20
    static let int2: UInt32 = 21
    static let int4: UInt32 = 23
    static let text: UInt32 = 25
    static let float8: UInt32 = 701
    /// name, varchar, bpchar and unknown, whose binary format is the text.
    static let texts: Set<UInt32> = [text, 19, 1043, 1042, 705]
    /// What a function returns that returns nothing.
    static let void: UInt32 = 2278
  }

  /// 0 lets the database infer it.
  let type: UInt32
  /// Nil for null.
  let bytes: [UInt8]?

  init(_ value: StorageValue) {
    switch value {
    case .null: (type, bytes) = (0, nil)
    case .integer(let number): (type, bytes) = (TypeID.int8, Self.bigEndian(UInt64(bitPattern: number)))
    case .real(let number): (type, bytes) = (TypeID.float8, Self.bigEndian(number.bitPattern))
    case .text(let text): (type, bytes) = (TypeID.text, Array(text.utf8))
    case .bytes(let content): (type, bytes) = (TypeID.bytes, content)
    }
  }

  private static func bigEndian(_ value: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) } }

  /// The value of a column; throws ``StorageError/mismatch(_:)`` for a type that the stores do not use.
  static func value(_ bytes: [UInt8], type: UInt32) throws(StorageError) -> StorageValue {
    switch type {
    case TypeID.int8, TypeID.int4, TypeID.int2:
      // The sign of the first byte fills what is missing.
      return .integer(bytes.reduce(bytes.first.map { $0 >= 0x80 } == true ? -1 : 0) { $0 << 8 | Int64($1) })
    case TypeID.bool: return .integer(bytes.first == 0 ? 0 : 1)
    case TypeID.float8: return .real(Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) }))
    case TypeID.bytes: return .bytes(bytes)
    case TypeID.void: return .null
    case _ where TypeID.texts.contains(type): return .text(String(decoding: bytes, as: UTF8.self))
    default: throw .mismatch("a column has the type \(type), which the program does not read")
    }
  }
}
