import Text

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
    /// The result type of a function without a result.
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
      // The sign of the first byte fills the missing bytes.
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

extension PostgreSQLParameter {
  /// The statement with `$1`, `$2` and so on for each `?` outside of quotes and comments (PostgreSQL's manual, section 4.1).
  static func numbered(_ sql: String) -> String {
    var scanner = Scanner(text: Array(sql.utf8))
    var result: [UInt8] = []
    var count = 0
    while let byte = scanner.next {
      let start = scanner.position
      scanner.skipPart()
      if byte == UInt8(ascii: "?") {
        count += 1
        result += Array("$\(count)".utf8)
      } else {
        result += scanner.text[start..<scanner.position]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}

/// Reads a statement part by part: a quoted text, a comment, a word or a single character.
private struct Scanner {
  let text: [UInt8]
  private(set) var position = 0

  /// The next byte; nil at the end.
  var next: UInt8? { byte(0) }

  /// Skips the part that begins here; an unterminated part extends to the end of the statement.
  fileprivate mutating func skipPart() {
    switch (next, byte(1)) {
    case (UInt8(ascii: "'"), _): skipQuoted(by: UInt8(ascii: "'"), escapes: false)
    case (UInt8(ascii: "\""), _): skipQuoted(by: UInt8(ascii: "\""), escapes: false)
    case (UInt8(ascii: "E"), UInt8(ascii: "'")), (UInt8(ascii: "e"), UInt8(ascii: "'")):
      position += 1
      skipQuoted(by: UInt8(ascii: "'"), escapes: true)
    case (UInt8(ascii: "-"), UInt8(ascii: "-")): skip { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    case (UInt8(ascii: "/"), UInt8(ascii: "*")): skipComment()
    case (UInt8(ascii: "$"), _): skipDollarQuoted()
    // Skips the whole word, because an E at its end or a dollar within it does not begin a quoted text.
    case (let first?, _) where Self.isLetter(first): skip { Self.isLetter($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "$") }
    default: position += 1
    }
  }

  private func byte(_ offset: Int) -> UInt8? { position + offset < text.count ? text[position + offset] : nil }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte == UInt8(ascii: "_") || ASCII.isLetter(byte)
  }

  private mutating func skip(while matches: (UInt8) -> Bool) { while let next, matches(next) { position += 1 } }

  /// Skips to after the closing quote; a quote within the text is doubled.
  private mutating func skipQuoted(by quote: UInt8, escapes: Bool) {
    position += 1
    while let byte = next {
      position += 1
      if byte == quote {
        guard next == quote else { return }
        position += 1
      } else if escapes, byte == UInt8(ascii: "\\") {
        position = min(position + 1, text.count)
      }
    }
  }

  private mutating func skipComment() {
    var depth = 0
    repeat {
      switch (next, byte(1)) {
      case (UInt8(ascii: "/"), UInt8(ascii: "*")): (depth, position) = (depth + 1, position + 2)
      case (UInt8(ascii: "*"), UInt8(ascii: "/")): (depth, position) = (depth - 1, position + 2)
      default: position += 1
      }
    } while depth > 0 && position < text.count
  }

  /// `$tag$ … $tag$`; a dollar that begins no such quote is a character.
  private mutating func skipDollarQuoted() {
    var end = position + 1
    while end < text.count, Self.isLetter(text[end]) || (end > position + 1 && ASCII.isDigit(text[end])) { end += 1 }
    guard end < text.count, text[end] == UInt8(ascii: "$") else {
      position += 1
      return
    }
    let mark = text[position...end]
    position = end + 1
    while position < text.count, !text[position...].starts(with: mark) { position += 1 }
    position = min(position + mark.count, text.count)
  }
}
