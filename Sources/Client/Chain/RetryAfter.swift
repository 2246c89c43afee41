import HTTPTypes
import Text

/// Parses `Retry-After` (RFC 9110 §10.2.3).
enum RetryAfter {
  /// Longer waits are cut to this: a day, in seconds.
  static let longest = 86_400

  /// Whole seconds to wait, 1 to `longest`; nil if the field is missing, malformed or not in the future.
  ///
  /// A date is compared with the response's own `Date`, so that a wrong clock here does no harm, or with `wall` if there is
  /// none.
  static func seconds(in headers: HTTPFields, wall: Int64) -> Int? {
    guard let value = headers[.retryAfter] else { return nil }
    if !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      let seconds = value.utf8.count > 9 ? longest : value.utf8.reduce(0) { $0 * 10 + Int($1 - 0x30) }
      return seconds > 0 ? min(seconds, longest) : nil
    }
    guard let end = HTTPDate.parse(value, now: wall) else { return nil }
    let start = headers[.date].flatMap { HTTPDate.parse($0, now: wall) } ?? wall
    return end > start ? Int(min(end - start, Int64(longest))) : nil
  }
}
