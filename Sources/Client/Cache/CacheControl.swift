import Text

/// The response directives of `Cache-Control` that a private cache acts on (RFC 9111 §5.2.2).
///
/// `private`, `public`, `s-maxage` and `proxy-revalidate` address shared caches and change nothing here. A directive with field
/// names (`no-cache="…"`) counts as one without, which is stricter.
struct CacheControl: Hashable, Sendable {
  /// The response must not be stored.
  private(set) var noStore = false
  /// The response must be revalidated before each use.
  private(set) var noCache = false
  /// The response must not be used once it is stale, not even offline.
  private(set) var mustRevalidate = false
  /// How many seconds the response is fresh; nil if it does not say. The smallest of several; 0 if malformed.
  private(set) var maxAge: Int64?

  /// Larger values are cut to this (RFC 9111 §1.2.2).
  static let longest: Int64 = 2_147_483_648

  /// Parses the field's value, nil for a missing field; ignores unknown directives.
  init(_ value: String?) {
    for element in Self.elements(of: value ?? "") {
      let parts = element.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = parts[0].trimmingBlanks.lowercased()
      switch name {
      case "no-store": noStore = true
      case "no-cache": noCache = true
      case "must-revalidate": mustRevalidate = true
      case "max-age":
        let seconds = parts.count == 2 ? Self.seconds(Self.unquoted(parts[1].trimmingBlanks)) ?? 0 : 0
        maxAge = min(maxAge ?? seconds, seconds)
      default: break
      }
    }
  }

  /// A non-negative whole number of seconds, cut to `longest`; nil for anything else.
  static func seconds(_ text: Substring) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ ASCII.isDigit($0) }) else { return nil }
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

  private static func unquoted(_ text: Substring) -> Substring {
    text.utf8.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"") ? text.dropFirst().dropLast() : text
  }
}
