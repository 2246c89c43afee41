import FoundationEssentials
import JSON
import Text

/// Dates as programs write them into a HAR, which asks for RFC 3339.
enum HARDate {
  /// The instant of an entry's `startedDateTime`; nil if it is missing or not a date.
  static func start(of entry: JSONNode) -> Timestamp? {
    guard let node = entry["startedDateTime"] else { return nil }
    return node.double.flatMap { $0 > 0 ? Timestamp(sinceEpoch: $0) : nil } ?? node.string.flatMap { parse($0) }
  }

  /// Reads RFC 3339, also with a blank instead of `T`, a comma before the fraction, the minus sign of mathematics, hours alone as the
  /// zone, or none, which is then UTC; its form without separators (ISO 8601); an HTTP date (RFC 9110 §5.6.7), also with a fraction; and
  /// seconds or milliseconds since 1970. The first instants of calendars, which programs write for none, are no date.
  static func parse(_ text: String) -> Timestamp? { instant(text).flatMap { $0.milliseconds > 0 ? $0 : nil } }

  private static func instant(_ text: String) -> Timestamp? {
    // Nearly all are in this form.
    if let known = Timestamp(parsing: text) { return known }
    let text = text.trimmingWhitespace.replacing("\u{2212}", with: "-")
    guard text.utf8.count <= 64 else { return nil }
    if let known = Timestamp(parsing: text) { return known }
    if let seconds = HTTPDate.parse(text) { return Timestamp(milliseconds: seconds * 1000) }
    if let date = httpDate(withFraction: text) { return date }
    if let number = Double(text) { return number > 0 ? Timestamp(sinceEpoch: number) : nil }
    var parts = text.replacing(",", with: ".").split(separator: " ").map(String.init)
    if parts.count > 1, parts[0].utf8.count == 10 { parts[0] += "T" }
    if let last = parts.last, ["UTC", "GMT"].contains(last.uppercased()) { parts[parts.count - 1] = "Z" }
    let joined = extended(parts.joined())
    return Timestamp(parsing: joined) ?? Timestamp(parsing: joined + "Z") ?? Timestamp(parsing: joined + ":00")
  }

  /// `Thu, 09 Jul 2026 19:18:05.897 GMT`
  private static func httpDate(withFraction text: String) -> Timestamp? {
    guard let point = text.firstIndex(of: "."), text.contains(",") else { return nil }
    let fraction = text[text.index(after: point)...].prefix { $0.isASCII && $0.isNumber }
    guard let seconds = HTTPDate.parse(String(text[..<point]) + String(text[fraction.endIndex...])),
      let part = Double("0." + fraction)
    else {
      return nil
    }
    return Timestamp(milliseconds: seconds * 1000 + Int64((part * 1000).rounded(.down)))
  }

  /// `20260709T191805.897Z` with its separators; other text as it is.
  private static func extended(_ text: String) -> String {
    let bytes = Array(text.utf8)
    guard bytes.count >= 15, bytes[8] | 0x20 == UInt8(ascii: "t"), (0..<15).allSatisfy({ $0 == 8 || ASCII.isDigit(bytes[$0]) })
    else {
      return text
    }
    func part(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    return "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(part(9..<11)):\(part(11..<13)):\(part(13..<15))"
      + part(15..<bytes.count)
  }
}
