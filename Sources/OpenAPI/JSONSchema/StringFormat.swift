import Text

/// The formats of strings that can be asserted.
enum StringFormat: String, Sendable {
  case dateTime = "date-time"
  case date
  case uuid
  case email
  case uri
  case ipv4

  /// Whether the text has the format.
  func matches(_ text: String) -> Bool {
    switch self {
    case .dateTime: Self.isDateTime(text)
    case .date: Self.isDate(text)
    case .uuid: ASCII.isUUID(Array(text.utf8))
    case .email: Self.isEmail(Array(text.utf8))
    case .uri: Self.isURI(text)
    case .ipv4: Self.isIPv4(text)
    }
  }

  /// RFC 3339 §5.6, with a colon in the offset and leap seconds at the end of a day in UTC.
  private static func isDateTime(_ text: String) -> Bool {
    var utf8 = Array(text.utf8)
    // RFC3339Date reads more than the format allows: an offset without a colon.
    guard utf8.count >= 20, !(utf8[utf8.count - 5] == UInt8(ascii: "+") || utf8[utf8.count - 5] == UInt8(ascii: "-"))
    else { return false }
    guard utf8[17] == UInt8(ascii: "6"), utf8[18] == UInt8(ascii: "0") else { return RFC3339Date.parse(text) != nil }
    utf8[17] = UInt8(ascii: "5")
    utf8[18] = UInt8(ascii: "9")
    guard let instant = RFC3339Date.parse(String(decoding: utf8, as: UTF8.self)) else { return false }
    return instant / 1000 % 86_400 == (instant < 0 ? -1 : 86_399)
  }

  private static func isDate(_ text: String) -> Bool {
    let utf8 = Array(text.utf8)
    guard utf8.count == 10, utf8[4] == UInt8(ascii: "-"), utf8[7] == UInt8(ascii: "-") else { return false }
    func number(_ range: Range<Int>) -> Int? {
      utf8[range].reduce(0) { value, byte in value.flatMap { ASCII.isDigit(byte) ? $0 * 10 + Int(byte &- 0x30) : nil } }
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10) else { return false }
    return CivilDate(year: year, month: month, day: day) != nil
  }

  /// One `@` between a local part and a domain, without white space; as strict as is useful for a server's addresses.
  private static func isEmail(_ utf8: [UInt8]) -> Bool {
    guard let at = utf8.lastIndex(of: UInt8(ascii: "@")), at > 0, at < utf8.count - 1 else { return false }
    return utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f } && !utf8[..<at].contains(UInt8(ascii: "@"))
  }

  /// A scheme and characters that a URI may have (RFC 3986 §2).
  private static func isURI(_ text: String) -> Bool {
    guard URIReference(text).scheme != nil, PercentCoding.isWellFormed(text) else { return false }
    return text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && !#"<>"{}|\^`"#.utf8.contains($0) }
  }

  private static func isIPv4(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count == 4
      && parts.allSatisfy { part in
        (1...3).contains(part.count) && part.allSatisfy(ASCII.isDigit) && (part.count == 1 || part.first != 0x30)
          && part.reduce(0) { $0 * 10 + Int($1 &- 0x30) } <= 255
      }
  }
}
