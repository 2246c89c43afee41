import Text

/// A media type or range without its parameters (RFC 9110 §8.3.1), in lower case.
struct MediaType: Hashable, Sendable {
  private static let topLevelTypes: Set<String> = [
    "application", "audio", "font", "image", "message", "model", "multipart", "text", "video",
  ]

  /// Type and subtype, such as `application/json`.
  let essence: String

  init(_ value: String) {
    let end = value.utf8.firstIndex(of: UInt8(ascii: ";")) ?? value.endIndex
    essence = value[..<end].split(whereSeparator: \.isWhitespace).first.map { $0.lowercased() } ?? ""
  }

  var isJSON: Bool { essence == "application/json" || essence.hasSuffix("+json") || essence == "text/json" }

  /// Whether this is a range, such as `text/*`.
  var isRange: Bool { essence.hasSuffix("/*") || essence == "*" }

  /// Whether the range includes a media type.
  func covers(_ type: MediaType) -> Bool {
    essence == "*/*" || essence == "*" || type.essence.hasPrefix(essence.dropLast())
  }

  /// The media type, if it looks like one; it comes from the exchange.
  var shown: String {
    let sides = essence.split(separator: "/", omittingEmptySubsequences: false)
    guard sides.count == 2, Self.topLevelTypes.contains(String(sides[0])), (1...48).contains(sides[1].utf8.count),
      sides[1].utf8.allSatisfy({ ASCII.isAlphanumeric($0) || ".+-".utf8.contains($0) }),
      sides[1].utf8.count(where: ASCII.isDigit) <= 4
    else { return "another media type" }
    return essence
  }
}
