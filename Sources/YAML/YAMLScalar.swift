import Text

/// A scalar: a plain one is resolved by the core schema of YAML 1.2 (§10.3.2), any other is text.
package struct YAMLScalar: Hashable, Sendable {
  /// The meaning of a scalar.
  package enum Value: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A whole number, as JSON spells it.
    case integer(String)
    /// A number with a point or an exponent, as JSON spells it.
    case decimal(String)
    /// `.inf`, `-.inf` or `.nan`.
    case notFinite
    case text
  }

  /// The text without its quotes.
  package let text: String
  /// Whether the scalar is written without quotes, and not as a block of text.
  package let isPlain: Bool
  package let value: Value

  static let null = YAMLScalar(text: "", isPlain: true, value: .null)

  private init(text: String, isPlain: Bool, value: Value) {
    self.text = text
    self.isPlain = isPlain
    self.value = value
  }

  /// Resolves a scalar; nil for a number in base 8 or 16 of more than 64 bits.
  init?(_ text: String, isPlain: Bool) {
    guard let value = isPlain ? Self.resolve(text) : .text else { return nil }
    self.init(text: text, isPlain: isPlain, value: value)
  }

  private static func resolve(_ text: String) -> Value? {
    switch text {
    case "", "~", "null", "Null", "NULL": .null
    case "true", "True", "TRUE": .bool(true)
    case "false", "False", "FALSE": .bool(false)
    case ".nan", ".NaN", ".NAN": .notFinite
    default: number(text)
    }
  }

  private static func number(_ text: String) -> Value? {
    for (prefix, radix) in [("0o", 8), ("0x", 16)] where text.hasPrefix(prefix) {
      let digits = text.dropFirst(2)
      guard !digits.isEmpty, digits.utf8.allSatisfy({ Self.digit($0) < radix }) else { return .text }
      return UInt64(digits, radix: radix).map { .integer(String($0)) }
    }
    var rest = Substring(text)
    let sign = rest.first == "-" ? "-" : ""
    if rest.first == "-" || rest.first == "+" { rest.removeFirst() }
    if [".inf", ".Inf", ".INF"].contains(rest) { return .notFinite }
    let whole = takeDigits(&rest)
    if rest.isEmpty, !whole.isEmpty { return .integer(sign + trimmed(whole)) }
    var fraction = Substring()
    if rest.first == "." {
      rest.removeFirst()
      fraction = takeDigits(&rest)
    }
    guard !whole.isEmpty || !fraction.isEmpty else { return .text }
    var number = "\(sign)\(trimmed(whole)).\(fraction.isEmpty ? "0" : fraction)"
    if rest.first == "e" || rest.first == "E" {
      rest.removeFirst()
      number += "e"
      if let mark = rest.first, mark == "-" || mark == "+" { number.append(rest.removeFirst()) }
      let power = takeDigits(&rest)
      guard !power.isEmpty else { return .text }
      number += power
    }
    return rest.isEmpty ? .decimal(number) : .text
  }

  /// The value of a digit up to `f`, or 16.
  private static func digit(_ byte: UInt8) -> Int {
    switch byte {
    case 0x30...0x39: Int(byte) - 0x30
    case 0x41...0x46: Int(byte) - 0x41 + 10
    case 0x61...0x66: Int(byte) - 0x61 + 10
    default: 16
    }
  }

  private static func takeDigits(_ rest: inout Substring) -> Substring {
    let end = rest.utf8.firstIndex { !ASCII.isDigit($0) } ?? rest.endIndex
    let digits = rest[..<end]
    rest = rest[end...]
    return digits
  }

  /// Digits without leading zeros, which JSON does not allow; at least one.
  private static func trimmed(_ digits: Substring) -> String {
    let rest = digits.drop { $0 == "0" }
    return rest.isEmpty ? "0" : String(rest)
  }
}
