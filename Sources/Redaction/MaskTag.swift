import Text

/// A tag in a text: `‹`, the kind of the masked value, `:`, eight hexadecimal digits in lower case and `›`.
package enum MaskTag {
  private static let opening = Array("‹".utf8)
  private static let closing = Array("›".utf8)

  /// The end of the tag that begins at an offset; nil if there is none. A lone `‹` is a character like any other.
  package static func end(at start: Int, in bytes: [UInt8]) -> Int? {
    guard bytes[start...].starts(with: opening) else { return nil }
    let kind = start + opening.count
    let colon = SecretShapes.end(of: kind, in: bytes) { ASCII.isLowercase($0) }
    guard colon > kind, colon < bytes.count, bytes[colon] == UInt8(ascii: ":"),
      case let digits = SecretShapes.end(of: colon + 1, in: bytes, while: isDigit), digits == colon + 9,
      bytes[digits...].starts(with: closing)
    else { return nil }
    return digits + closing.count
  }

  /// Whether a byte is a digit as tags have them.
  private static func isDigit(_ byte: UInt8) -> Bool { ASCII.isHexadecimal(byte) && !ASCII.isUppercase(byte) }

  /// Whether a text is the digits of a tag.
  static func isDigits(_ text: String) -> Bool { text.utf8.count == 8 && text.utf8.allSatisfy(isDigit) }

  /// The digits of all tags in a text.
  static func digits(in bytes: [UInt8]) -> Set<String> {
    var found: Set<String> = []
    var index = 0
    while index < bytes.count {
      guard bytes[index] == opening[0], let end = end(at: index, in: bytes) else {
        index += 1
        continue
      }
      let last = end - closing.count
      found.insert(String(decoding: bytes[last - 8..<last], as: UTF8.self))
      index = end
    }
    return found
  }
}
