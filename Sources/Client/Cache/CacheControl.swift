/// The `Cache-Control` directives of a response that a private cache acts on (RFC 9111 §5.2.2).
///
/// `private`, `public`, `s-maxage` and `proxy-revalidate` speak to shared caches and change nothing here. A directive with field
/// names (`no-cache="…"`) counts as the one without, which is the stricter reading.
struct CacheControl: Hashable, Sendable {
  /// Nothing of the response may be kept.
  private(set) var noStore = false
  /// The response must be validated before each use.
  private(set) var noCache = false
  /// The response must not be used once it is stale, not even without a network.
  private(set) var mustRevalidate = false
  /// For how many seconds the response is fresh; nil where it does not say. The smallest of several, 0 for one that is no number.
  private(set) var maxAge: Int64?

  /// More seconds than this are taken for this many (RFC 9111 §1.2.2).
  static let longest: Int64 = 2_147_483_648

  /// Reads the field's value, nil for a missing field; what is not understood is passed over.
  init(_ value: String?) {
    for element in Self.elements(of: value ?? "") {
      let parts = element.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = Self.trimmed(parts[0]).lowercased()
      switch name {
      case "no-store": noStore = true
      case "no-cache": noCache = true
      case "must-revalidate": mustRevalidate = true
      case "max-age":
        let seconds = parts.count == 2 ? Self.seconds(Self.unquoted(Self.trimmed(parts[1]))) ?? 0 : 0
        maxAge = min(maxAge ?? seconds, seconds)
      default: break
      }
    }
  }

  /// A non-negative whole number of seconds, cut at `longest`; nil for anything else.
  static func seconds(_ text: Substring) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    var value: Int64 = 0
    for digit in text.utf8 { value = min(value * 10 + Int64(digit - 0x30), longest) }
    return value
  }

  /// The members of a comma-separated list; commas inside quotes do not separate.
  private static func elements(of text: String) -> [Substring] {
    var elements: [Substring] = []
    var start = text.startIndex
    var isQuoted = false
    var isEscaped = false
    for index in text.utf8.indices {
      let byte = text.utf8[index]
      if isEscaped {
        isEscaped = false
      } else if isQuoted, byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isQuoted.toggle()
      } else if byte == UInt8(ascii: ","), !isQuoted {
        elements.append(text[start..<index])
        start = text.utf8.index(after: index)
      }
    }
    elements.append(text[start...])
    return elements
  }

  /// The text without white space at its ends.
  static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }

  private static func unquoted(_ text: Substring) -> Substring {
    text.utf8.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"") ? text.dropFirst().dropLast() : text
  }
}
