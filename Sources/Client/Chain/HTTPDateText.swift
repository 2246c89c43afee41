/// Reads the dates of HTTP header fields (RFC 9110 §5.6.7) without a locale and without a trap.
enum HTTPDateText {
  /// Unix seconds of one of the three forms; nil for anything else.
  ///
  /// `now`, in unix seconds, places a two-digit year: one more than 50 years ahead belongs to the century before.
  static func seconds(_ text: String, now: Int64) -> Int64? {
    let parts = text.split(separator: " ", omittingEmptySubsequences: true)
    switch parts.count {
    case 6 where parts[5] == "GMT" && parts[0].hasSuffix(","):
      return instant(year: number(parts[3], digits: 4), month: parts[2], day: number(parts[1], digits: 2), time: parts[4])
    case 5:
      return instant(year: number(parts[4], digits: 4), month: parts[1], day: number(parts[2], digits: 1...2), time: parts[3])
    case 4 where parts[3] == "GMT" && parts[0].hasSuffix(","):
      let date = parts[1].split(separator: "-", omittingEmptySubsequences: false)
      guard date.count == 3, let short = number(date[2], digits: 2) else { return nil }
      var year = 1900 + short
      while year + 100 <= civilYear(now) + 50 { year += 100 }
      return instant(year: year, month: date[1], day: number(date[0], digits: 2), time: parts[2])
    default:
      return nil
    }
  }

  /// An instant of the years 1970 to 9999 in the preferred form, such as `Sat, 21 Nov 2026 12:00:00 GMT`.
  static func text(_ seconds: Int64) -> String {
    let seconds = min(max(seconds, 0), 253_402_300_799)
    let (day, rest) = seconds.quotientAndRemainder(dividingBy: 86_400)
    // The civil calendar from days, years beginning in March, so that the leap day is the last.
    let shifted = day + 719_468
    let era = shifted / 146_097
    let ofEra = shifted - era * 146_097
    let year = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * year + year / 4 - year / 100)
    let month = (5 * ofYear + 2) / 153
    let date = ofYear - (153 * month + 2) / 5 + 1
    let civilMonth = month < 10 ? month + 2 : month - 10
    let civilYear = year + era * 400 + (civilMonth < 2 ? 1 : 0)
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][Int(day % 7)]
    return "\(weekday), \(two(date)) \(months[Int(civilMonth)]) \(civilYear) "
      + "\(two(rest / 3600)):\(two(rest / 60 % 60)):\(two(rest % 60)) GMT"
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  private static func instant(year: Int64?, month: Substring, day: Int64?, time: Substring) -> Int64? {
    guard let year, let day, let index = months.firstIndex(of: String(month)) else { return nil }
    let clock = time.split(separator: ":", omittingEmptySubsequences: false)
    guard clock.count == 3, let hour = number(clock[0], digits: 2), let minute = number(clock[1], digits: 2),
      let second = number(clock[2], digits: 2), hour < 24, minute < 60, second <= 60
    else { return nil }
    let month = Int64(index) + 1
    guard day >= 1, day <= length(ofMonth: month, year: year) else { return nil }
    return days(year: year, month: month, day: day) * 86_400 + hour * 3600 + minute * 60 + second
  }

  private static func number(_ text: Substring, digits: Int) -> Int64? { number(text, digits: digits...digits) }

  private static func number(_ text: Substring, digits: ClosedRange<Int>) -> Int64? {
    guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return text.utf8.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }

  private static func length(ofMonth month: Int64, year: Int64) -> Int64 {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return switch month {
    case 2: isLeap ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days from 1970-01-01 in the proleptic Gregorian calendar, for years from 0 to 9999.
  private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let ofEra = shifted - era * 400
    let ofYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
  }

  /// The year of an instant, close enough to choose a century.
  private static func civilYear(_ seconds: Int64) -> Int64 { 1970 + seconds / 31_556_952 }
}
