/// Bytes as hexadecimal text (RFC 4648 §8).
package enum Hex {
  /// Two lower-case digits for each byte.
  package static func encode(_ bytes: [UInt8]) -> String {
    String(unsafeUninitializedCapacity: bytes.count * 2) { text in
      for (index, byte) in bytes.enumerated() {
        text[2 * index] = digit(byte >> 4)
        text[2 * index + 1] = digit(byte & 15)
      }
      return bytes.count * 2
    }
  }

  /// The bytes of an even number of digits of either case; nil for other text.
  package static func decode(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = value(of: digits[index]), let low = value(of: digits[index + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// The lower-case digit of a value below 16.
  @inlinable package static func digit(_ value: UInt8) -> UInt8 { value &+ (value < 10 ? 0x30 : 0x57) }

  /// The upper-case digit of a value below 16.
  @inlinable package static func upperCaseDigit(_ value: UInt8) -> UInt8 { value &+ (value < 10 ? 0x30 : 0x37) }

  /// The value of a digit of either case; nil for another byte.
  @inlinable package static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit &- 0x30
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit &- 0x37
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit &- 0x57
    default: nil
    }
  }
}
