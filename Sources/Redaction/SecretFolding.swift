import Text

/// Compares hexadecimal, Base32 or Base64 digits, ignoring the case of the encoded letters.
///
/// The case of a letter is a single bit of its byte, and therefore of one digit; that bit is masked out.
struct SecretFolding: Sendable {
  /// The significant bits of each digit.
  let masks: [UInt8]
  /// The value of each character as a digit; 255 for other characters.
  private let values: [UInt8]

  /// Whether a character matches the digit at an index, whose value is `digit`.
  @inline(__always)
  func matches(_ character: UInt8, _ digit: UInt8, at place: Int) -> Bool {
    let value = values[Int(character)]
    return value != 255 && value & masks[place] == digit
  }

  /// All spellings of the first four digits, in lower case.
  func prefixes(of digits: [UInt8]) -> Set<UInt32> {
    var prefixes: Set<UInt32> = [0]
    for (place, digit) in digits.prefix(4).enumerated() {
      let characters = Set((0...255).filter { matches($0, digit, at: place) }.map(ASCII.lowercased))
      prefixes = Set(prefixes.flatMap { prefix in characters.map { prefix << 8 | UInt32($0) } })
    }
    return prefixes
  }

  // MARK: Hexadecimal

  /// The hexadecimal digits of a text, with the case of its letters masked out.
  static func hexadecimal(of text: [UInt8]) -> [UInt8] { nibbles(text.map { $0 & mask(of: $0) }) }

  /// The comparison for those digits.
  static func hexadecimal(masksOf text: [UInt8]) -> SecretFolding {
    SecretFolding(masks: nibbles(text.map(mask(of:))), values: hexadecimalValues)
  }

  private static func nibbles(_ bytes: [UInt8]) -> [UInt8] { bytes.flatMap { [$0 >> 4, $0 & 15] } }

  // MARK: Base32

  /// The Base32 digits (RFC 4648 §6) that depend only on the text, if `prefix` bytes precede it in its group, and the comparison for them.
  static func base32(of text: [UInt8], after prefix: Int, ignoresCase: Bool) -> (digits: [UInt8], folding: SecretFolding) {
    let masks = base32Digits(text.map { ignoresCase ? mask(of: $0) : 0xff }, after: prefix)
    let digits = zip(base32Digits(text, after: prefix), masks).map { $0 & $1 }
    return (digits, SecretFolding(masks: masks, values: base32Values))
  }

  /// The groups of five bits that lie within the bytes, after `prefix` bytes.
  private static func base32Digits(_ bytes: [UInt8], after prefix: Int) -> [UInt8] {
    var digits: [UInt8] = []
    var bits: UInt32 = 0
    var count: Int = 0
    // The digit that the previous bytes share with these does not count.
    var skipped = (5 - prefix * 8 % 5) % 5
    for byte in bytes {
      (bits, count) = (bits << 8 | UInt32(byte), count + 8)
      if skipped > 0 { (count, skipped) = (count - skipped, 0) }
      while count >= 5 {
        digits.append(UInt8(bits >> UInt32(count - 5) & 31))
        count -= 5
      }
    }
    return digits
  }

  // MARK: Base64

  /// The Base64 digits that depend only on the text, if `prefix` bytes precede it in its group.
  static func base64(of text: [UInt8], after prefix: Int) -> [UInt8] { digits(text.map { $0 & mask(of: $0) }, after: prefix) }

  /// The comparison for those digits; `takesURLDigits` also accepts the base64url alphabet.
  static func base64(masksOf text: [UInt8], after prefix: Int, takesURLDigits: Bool) -> SecretFolding {
    SecretFolding(
      masks: digits(text.map(mask(of:)), after: prefix), values: takesURLDigits ? bothBase64Values : standardBase64Values)
  }

  private static func digits(_ bytes: [UInt8], after prefix: Int) -> [UInt8] {
    SecretSearchPattern.base64Core(of: bytes, after: prefix).map { standardBase64Values[Int($0)] }
  }

  // MARK: Tables

  /// All bits of a byte, except the case bit of a letter.
  private static func mask(of byte: UInt8) -> UInt8 {
    ASCII.isAlphanumeric(byte) && !ASCII.isDigit(byte) ? 0xdf : 0xff
  }

  private static let hexadecimalValues = table("0123456789abcdef", "0123456789ABCDEF")
  private static let base32Values = table("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "abcdefghijklmnopqrstuvwxyz234567")
  private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
  private static let standardBase64Values = table(letters + "+/")
  private static let bothBase64Values = table(letters + "+/", letters + "-_")

  private static func table(_ alphabets: String...) -> [UInt8] {
    var values = [UInt8](repeating: 255, count: 256)
    for alphabet in alphabets { for (value, character) in alphabet.utf8.enumerated() { values[Int(character)] = UInt8(value) } }
    return values
  }
}
