import HTTPTypes
import Text

/// Parses `Retry-After` (RFC 9110 §10.2.3).
enum RetryAfter {
  /// A longer wait counts as this one: a day, in seconds.
  private static let longest = 86_400
  /// A number from here on is an instant, in seconds since 1970, as some backends write it.
  private static let firstInstant = 1e9

  /// Whole seconds to wait, 1 to `longest`, a fraction rounded up; nil if the field is missing, malformed or not in the future.
  ///
  /// Of several values, the largest counts, because a proxy on the way may add its own. A date is compared with the response's
  /// own `Date`, so that a wrong clock here does no harm, or with `wall` if there is none.
  static func seconds(in headers: HTTPFields, wall: Int64) -> Int? {
    let start = headers[.date].flatMap { HTTPDate.parse($0, now: wall) } ?? wall
    return headers[values: .retryAfter].flatMap { value in
      if let end = instant(value, now: wall) { return [wait(until: Double(end), from: start)] }
      return value.split(separator: ",").map { text in
        number(text).flatMap { $0 < firstInstant ? wait($0) : wait(until: $0, from: start) }
      }
    }.compactMap { $0 }.max()
  }

  /// A date of HTTP, also with `UTC` or `+0000` for `GMT`, or one of RFC 3339.
  private static func instant(_ text: String, now: Int64) -> Int64? {
    for zone in ["UTC", "+0000"] where text.hasSuffix(" \(zone)") {
      return HTTPDate.parse(text.dropLast(zone.count) + "GMT", now: now)
    }
    return HTTPDate.parse(text, now: now) ?? RFC3339Date.parse(text).map { $0 / 1000 }
  }

  /// A duration in seconds as a wait, rounded up; nil if it is none, such as an instant since 1970.
  static func wait(_ seconds: Double) -> Int? { seconds < firstInstant ? bounded(seconds) : nil }

  /// The wait from one instant to another, both in seconds since 1970; nil if none is left.
  private static func wait(until end: Double, from start: Int64) -> Int? { bounded(end - Double(start)) }

  private static func bounded(_ seconds: Double) -> Int? {
    seconds > 0 ? Int(min(seconds, Double(longest)).rounded(.up)) : nil
  }

  /// A number of digits, with or without a fraction.
  private static func number(_ text: Substring) -> Double? {
    let words = text.split { $0 == " " || $0 == "\t" }
    guard words.count == 1, let text = words.first else { return nil }
    let isNumber =
      text.utf8.first.map { ASCII.isDigit($0) } == true
      && text.utf8.allSatisfy { ASCII.isDigit($0) || $0 == UInt8(ascii: ".") }
    return isNumber ? Double(text) : nil
  }
}
