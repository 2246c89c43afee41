import Text

/// Finds links in pasted text: a message with other words, a wrapped line, or the escapes of mail and HTML.
enum LinkText {
  /// The most bytes that are searched.
  static let maximumBytes = 16 * 1024
  /// How many further words may belong to a wrapped link.
  private static let wraps = 3
  /// The most places that are tried.
  private static let placeLimit = 32
  /// The most characters of each place.
  private static let length = 4200

  /// The texts that may be the link, the most probable first; a link that may continue after a blank has several.
  static func candidates(in text: String) -> [String] {
    let plain = text.withoutInvisibleMarks.replacing("&amp;", with: "&")
    let decoded = quotedPrintable(plain).map { $0.replacing("&amp;", with: "&") }
    return (decoded.map(readings) ?? []) + readings(of: plain)
  }

  private static func readings(of text: String) -> [String] {
    places(in: text).flatMap { place in
      let rest = text[place...].prefix(length)
      let words = rest.split(maxSplits: wraps + 1, whereSeparator: isSeparator)
      guard let first = words.first else { return [String]() }
      // Text after a bracket or a quote is another text, not a wrapped part.
      let isOpen = rest[first.endIndex...].first?.isWhitespace ?? false
      let more = isOpen ? words.dropFirst().prefix(wraps).prefix { $0.utf8.allSatisfy(isLinkByte) } : []
      var reading = String(first)
      return [trimmed(reading)]
        + more.map { word in
          reading += word
          return trimmed(reading)
        }
    }
  }

  /// The text without quoted-printable (RFC 2045 §6.7); nil if not every `=` in it is an escape.
  private static func quotedPrintable(_ text: String) -> String? {
    let parts = text.split(separator: "=", omittingEmptySubsequences: false)
    guard parts.count > 1 else { return nil }
    var decoded = String(parts.first ?? "")
    for part in parts.dropFirst() {
      if part.first?.isWhitespace ?? true {
        // A continued line ends with `=`.
        decoded += part.drop(while: \.isWhitespace)
      } else if part.utf8.count >= 2, let byte = UInt8(part.prefix(2), radix: 16) {
        decoded += (byte == UInt8(ascii: "=") ? "=" : "%\(part.prefix(2))") + part.dropFirst(2)
      } else {
        return nil
      }
    }
    return decoded
  }

  /// Where an address may begin; the beginning of a text without any.
  private static func places(in text: String) -> [String.Index] {
    var found: [String.Index] = []
    var rest = text.utf8[...]
    while let start = rest.firstIndex(where: { ASCII.lowercased($0) == UInt8(ascii: "h") }), found.count < placeLimit {
      if begins(rest[start...], "http://") || begins(rest[start...], "https://") { found.append(start) }
      rest = rest[rest.index(after: start)...]
    }
    return found.isEmpty && !text.isEmpty ? [text.startIndex] : found
  }

  private static func begins(_ text: Substring.UTF8View, _ word: String) -> Bool {
    let wanted = word.utf8
    return text.prefix(wanted.count).elementsEqual(wanted) { ASCII.lowercased($0) == $1 }
  }

  private static func isSeparator(_ character: Character) -> Bool {
    character.isWhitespace || "<>\"“”„«»‹›|`".contains(character)
  }

  private static func isLinkByte(_ byte: UInt8) -> Bool { PercentCoding.isUnreserved(byte) || "&=%".utf8.contains(byte) }

  /// The reading without the punctuation of the sentence around it.
  private static func trimmed(_ text: String) -> String {
    let kept = text.lastIndex { !".,;:!?)]}'’*…".contains($0) }
    return kept.map { String(text[...$0]) } ?? ""
  }
}
