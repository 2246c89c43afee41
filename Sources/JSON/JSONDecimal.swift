import Text

/// A JSON number as its exact decimal value: 0.*digits* × 10^*exponent*.
package struct JSONDecimal: Hashable, Sendable {
  /// Whether the number is less than zero.
  package let isNegative: Bool
  /// The significant digits, 0 to 9 each, without zeros at either end; empty for zero.
  package let digits: [UInt8]
  /// The power of ten; exponents beyond 10^15 are clamped.
  let exponent: Int

  private static let exponentLimit = 1_000_000_000_000_000

  /// Reads a number that the scanner has accepted (RFC 8259 §6).
  package init(_ source: ArraySlice<UInt8>) {
    var digits: [UInt8] = []
    var point: Int?
    var power = 0
    var rest = source
    if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
    while let byte = rest.first, byte != UInt8(ascii: "e"), byte != UInt8(ascii: "E") {
      rest.removeFirst()
      if byte == UInt8(ascii: ".") { point = digits.count } else { digits.append(byte &- 0x30) }
    }
    if !rest.isEmpty {
      rest.removeFirst()
      let isSmall = rest.first == UInt8(ascii: "-")
      for byte in rest where ASCII.isDigit(byte) { power = min(power * 10 + Int(byte &- 0x30), Self.exponentLimit) }
      if isSmall { power = -power }
    }
    let leading = digits.firstIndex { $0 != 0 } ?? digits.count
    let end = digits.lastIndex { $0 != 0 }.map { $0 + 1 } ?? leading
    self.digits = Array(digits[leading..<end])
    isNegative = !self.digits.isEmpty && source.first == UInt8(ascii: "-")
    exponent = self.digits.isEmpty ? 0 : (point ?? digits.count) - leading + power
  }

  /// Whether the number is a whole number, whatever its notation.
  package var isInteger: Bool { exponent >= digits.count }

  /// The number as a length or count: nil if it is negative or has a fraction, at most `Int32.max`.
  package var asCount: Int? {
    guard !isNegative, isInteger else { return nil }
    guard exponent <= 10 else { return Int(Int32.max) }
    let value = digits.reduce(0) { $0 * 10 + Int($1) }
    return min((digits.count..<max(exponent, digits.count)).reduce(value) { value, _ in value * 10 }, Int(Int32.max))
  }

  /// Whether the number is less than another.
  package static func < (left: JSONDecimal, right: JSONDecimal) -> Bool {
    if left.isNegative != right.isNegative { return left.isNegative }
    return left.isNegative ? right.isSmallerMagnitude(than: left) : left.isSmallerMagnitude(than: right)
  }

  private func isSmallerMagnitude(than other: JSONDecimal) -> Bool {
    guard !digits.isEmpty, !other.digits.isEmpty else { return digits.isEmpty && !other.digits.isEmpty }
    if exponent != other.exponent { return exponent < other.exponent }
    return digits.lexicographicallyPrecedes(other.digits)
  }

  /// Whether the number is a whole multiple of a positive number; nil if the divisor has more than 18 significant digits.
  package func isMultiple(of divisor: JSONDecimal) -> Bool? {
    guard divisor.digits.count <= 18 else { return nil }
    guard !digits.isEmpty else { return true }
    let modulus = divisor.digits.reduce(UInt64(0)) { $0 * 10 + UInt64($1) }
    guard modulus > 0 else { return nil }
    // Both as whole numbers times a power of ten.
    let shift = (exponent - digits.count) - (divisor.exponent - divisor.digits.count)
    // For that, the number must be a multiple of ten, but its last digit is not zero.
    guard shift >= 0 else { return false }
    var remainder = digits.reduce(UInt64(0)) { ($0 * 10 + UInt64($1)) % modulus }
    var power = 1 % modulus
    var square = 10 % modulus
    var exponent = shift
    while exponent > 0 {
      if exponent & 1 == 1 { power = Self.product(power, square, modulo: modulus) }
      square = Self.product(square, square, modulo: modulus)
      exponent >>= 1
    }
    remainder = Self.product(remainder, power, modulo: modulus)
    return remainder == 0
  }

  /// The product of two numbers below the modulus, modulo it.
  private static func product(_ left: UInt64, _ right: UInt64, modulo modulus: UInt64) -> UInt64 {
    modulus.dividingFullWidth(left.multipliedFullWidth(by: right)).remainder
  }
}

/// Whole numbers of at most 18 digits, which most numbers are.
package enum SmallInteger {
  /// Reads a number without fraction and exponent; nil for others.
  package static func read(_ source: ArraySlice<UInt8>) -> Int64? {
    guard source.count <= 18 else { return nil }
    var value: Int64 = 0
    let isNegative = source.first == UInt8(ascii: "-")
    for byte in isNegative ? source.dropFirst() : source {
      let digit = byte &- 0x30
      guard digit < 10 else { return nil }
      value = value &* 10 &+ Int64(digit)
    }
    return isNegative ? -value : value
  }
}
