/// Bytes as padded Base64 text (RFC 4648 §4).
package enum Base64 {
  private static let alphabet = Base64Alphabet(ending: "+/", isPadded: true)

  /// The padded text of `bytes`.
  package static func encode(_ bytes: [UInt8]) -> String { alphabet.encode(bytes) }

  /// The bytes of canonical padded text; nil for other text, which includes any with white space.
  package static func decode(_ text: String) -> [UInt8]? { alphabet.decode(text) }

  /// The bytes of text that may be wrapped, lack its padding, or have the digits of Base64url; nil for other text.
  package static func decodeLeniently(_ text: String) -> [UInt8]? {
    if let bytes = alphabet.decode(text) { return bytes }
    var plain: [UInt8] = []
    plain.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: "="): break
      case UInt8(ascii: "-"): plain.append(UInt8(ascii: "+"))
      case UInt8(ascii: "_"): plain.append(UInt8(ascii: "/"))
      default: plain.append(byte)
      }
    }
    plain += repeatElement(UInt8(ascii: "="), count: (4 - plain.count % 4) % 4)
    return alphabet.decode(String(decoding: plain, as: UTF8.self))
  }
}

/// Bytes as Base64url text without padding (RFC 4648 §5).
package enum Base64URL {
  private static let alphabet = Base64Alphabet(ending: "-_", isPadded: false)

  /// The text of `bytes`, without padding.
  package static func encode(_ bytes: [UInt8]) -> String { alphabet.encode(bytes) }
}

/// A Base64 alphabet and its padding rule (RFC 4648 §4, §5).
struct Base64Alphabet: Sendable {
  /// The 64 digits in order.
  let digits: [UInt8]
  /// The value of each digit; 255 for other bytes.
  let values: [UInt8]
  /// Whether the last group is padded with `=`.
  let isPadded: Bool

  /// The alphabet whose last two digits are given.
  init(ending: String, isPadded: Bool) {
    digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8) + Array(ending.utf8)
    var values = [UInt8](repeating: 255, count: 256)
    for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
    self.values = values
    self.isPadded = isPadded
  }

  /// The text of `bytes`.
  func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var index = 0
    while index < bytes.count {
      let available = min(3, bytes.count - index)
      var group = UInt32(bytes[index]) << 16
      if available > 1 { group |= UInt32(bytes[index + 1]) << 8 }
      if available > 2 { group |= UInt32(bytes[index + 2]) }
      for place in 0...available { text.append(digits[Int(group >> (18 - 6 * UInt32(place)) & 63)]) }
      if isPadded { text.append(contentsOf: repeatElement(UInt8(ascii: "="), count: 3 - available)) }
      index += 3
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of padded `text`; nil for an unknown digit, wrong padding, or leftover bits that are not zero.
  func decode(_ text: String) -> [UInt8]? {
    var input = Array(text.utf8)
    guard input.count.isMultiple(of: 4) else { return nil }
    for _ in 0..<2 where input.last == UInt8(ascii: "=") { input.removeLast() }
    guard input.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(input.count / 4 * 3 + 2)
    var group: UInt32 = 0
    var bits: UInt32 = 0
    for digit in input {
      let value = values[Int(digit)]
      guard value != 255 else { return nil }
      group = group << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: group >> bits))
        group &= (1 << bits) - 1
      }
    }
    return group == 0 ? bytes : nil
  }
}
