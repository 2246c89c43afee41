import FoundationEssentials
import JSON
import Text

/// Dates as programs write them into a HAR, which asks for RFC 3339.
enum HARDate {
  /// The instant of an entry's `startedDateTime`; nil if it is missing or not a date.
  static func start(of entry: JSONNode) -> Timestamp? {
    guard let node = entry["startedDateTime"] else { return nil }
    return node.double.flatMap { Timestamp(sinceEpoch: $0) } ?? node.string.flatMap { parse($0) }
  }

  /// Reads RFC 3339, also with a blank instead of `T`, a comma before the fraction, or no zone, which is then UTC; an HTTP date (RFC
  /// 9110 §5.6.7); and seconds or milliseconds since 1970.
  private static func parse(_ text: String) -> Timestamp? {
    // Nearly all are in this form.
    if let known = Timestamp(parsing: text) { return known }
    let text = text.trimmingWhitespace
    guard text.utf8.count <= 64 else { return nil }
    if let known = Timestamp(parsing: text) { return known }
    if let seconds = HTTPDate.parse(text) { return Timestamp(milliseconds: seconds * 1000) }
    if let number = Double(text) { return number > 0 ? Timestamp(sinceEpoch: number) : nil }
    var parts = text.replacing(",", with: ".").split(separator: " ").map(String.init)
    if parts.count > 1, parts[0].utf8.count == 10 { parts[0] += "T" }
    if let last = parts.last, ["UTC", "GMT"].contains(last.uppercased()) { parts[parts.count - 1] = "Z" }
    let joined = parts.joined()
    return Timestamp(parsing: joined) ?? Timestamp(parsing: joined + "Z")
  }
}
