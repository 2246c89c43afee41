import Text

/// Finds links in what people paste: a message with other words, a wrapped line, or the escapes of mail and HTML.
enum LinkText {
  /// The most bytes that are searched.
  static let maximumBytes = 16 * 1024
  /// How many further words may belong to a link that was wrapped.
  private static let wraps = 3

  /// The texts that may be the link, the most probable first; a link that may go on behind a blank has several.
  static func candidates(in text: String) -> [String] {
    let plain = unescaped(text.withoutInvisibleMarks)
    return starts(in: plain).flatMap { start in
      let words = plain[start...].split(whereSeparator: isSeparator)
      guard let first = words.first else { return [String]() }
      // What stands behind a bracket or a quote is another text, not a wrapped part.
      let isOpen = plain[first.endIndex...].first?.isWhitespace ?? false
      let rest = isOpen ? words.dropFirst().prefix(wraps).prefix { $0.utf8.allSatisfy(isLinkByte) } : []
      var candidate = String(first)
      return [trimmed(candidate)]
        + rest.map { word in
          candidate += word
          return trimmed(candidate)
        }
    }
  }

  /// The text without quoted-printable (RFC 2045 §6.7) and the entity of `&`.
  private static func unescaped(_ text: String) -> String {
    var plain = text
    if plain.contains("=3D") || plain.contains("=3d") {
      let lines = plain.split(separator: "=", omittingEmptySubsequences: false)
      // A line that goes on ends with `=`.
      plain = lines.dropFirst().reduce(into: String(lines.first ?? "")) { joined, part in
        if part.first?.isWhitespace == true {
          joined += part.drop(while: \.isWhitespace)
        } else if part.hasPrefix("3D") || part.hasPrefix("3d") {
          joined += "=" + part.dropFirst(2)
        } else {
          joined += "=" + part
        }
      }
    }
    return plain.replacing("&amp;", with: "&")
  }

  private static func starts(in text: String) -> [String.Index] {
    let lower = text.lowercased()
    // Lowercasing may change lengths; then the text has no link that it could find.
    guard lower.utf8.count == text.utf8.count else { return text.isEmpty ? [] : [text.startIndex] }
    var found: [String.Index] = []
    for range in lower.ranges(of: "http") {
      let rest = lower[range.upperBound...]
      guard rest.hasPrefix("://") || rest.hasPrefix("s://") else { continue }
      found.append(text.utf8.index(text.startIndex, offsetBy: lower.utf8.distance(from: lower.startIndex, to: range.lowerBound)))
    }
    return found.isEmpty && !text.isEmpty ? [text.startIndex] : found
  }

  private static func isSeparator(_ character: Character) -> Bool {
    character.isWhitespace || "<>\"“”„«»‹›|`".contains(character)
  }

  private static func isLinkByte(_ byte: UInt8) -> Bool { PercentCoding.isUnreserved(byte) || "&=%".utf8.contains(byte) }

  /// The candidate without the punctuation of the sentence around it.
  private static func trimmed(_ text: String) -> String {
    let kept = text.lastIndex { !".,;:!?)]}'’*…".contains($0) }
    return kept.map { String(text[...$0]) } ?? ""
  }
}
