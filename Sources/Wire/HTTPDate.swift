/// Dates of HTTP (RFC 9110 §5.6.7) as whole seconds since 1970, without a calendar library.
package enum HTTPDate {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let longDays = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
  private static let range: Range<Int64> = -62_135_596_800..<253_402_300_800

  /// `Sun, 06 Nov 1994 08:49:37 GMT`; instants outside the years 1 to 9999 are moved to the nearest inside.
  package static func format(_ seconds: Int64) -> String {
    let instant = min(max(seconds, range.lowerBound), range.upperBound - 1)
    let day = (instant - floorMod(instant, 86_400)) / 86_400
    let second = Int(floorMod(instant, 86_400))
    let civil = civil(fromDays: day)
    return "\(days[Int(floorMod(day, 7))]), \(two(civil.day)) \(months[civil.month - 1]) \(four(civil.year)) "
      + "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60)) GMT"
  }

  /// Reads the preferred form, RFC 850's and asctime's; nil for anything else. `now` places two-digit years.
  package static func parse(_ text: String, now: Int64 = 0) -> Int64? {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard text.utf8.allSatisfy({ $0 < 128 }) else { return nil }
    switch parts.count {
    case 6 where parts[0].utf8.count == 4 && parts[0].hasSuffix(","):
      guard parts[5] == "GMT", days.contains(String(parts[0].dropLast())), let day = number(parts[1], 2),
        let month = months.firstIndex(of: parts[2]), let year = number(parts[3], 4)
      else { return nil }
      return instant(year, month + 1, day, parts[4])
    case 4 where parts[0].hasSuffix(","):
      let date = parts[1].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
      guard parts[3] == "GMT", longDays.contains(String(parts[0].dropLast())), date.count == 3, let day = number(date[0], 2),
        let month = months.firstIndex(of: date[1]), let short = number(date[2], 2)
      else { return nil }
      return instant(century(short, now), month + 1, day, parts[2])
    default:
      let compact = parts.filter { !$0.isEmpty }
      guard compact.count == 5, parts.count - compact.count <= 1, days.contains(compact[0]),
        let month = months.firstIndex(of: compact[1]), let year = number(compact[4], 4),
        let day = number(compact[2], compact[2].utf8.count), compact[2].utf8.count <= 2
      else { return nil }
      return instant(year, month + 1, day, compact[3])
    }
  }

  /// A two-digit year more than 50 years ahead lies in the past (RFC 9110 §5.6.7).
  private static func century(_ short: Int, _ now: Int64) -> Int {
    // A file's time can be anything; dates outside the range are none of HTTP's.
    let instant = min(max(now, range.lowerBound), range.upperBound - 1)
    let current = civil(fromDays: (instant - floorMod(instant, 86_400)) / 86_400).year
    let year = current - current % 100 + short
    return year > current + 50 ? year - 100 : year
  }

  private static func instant(_ year: Int, _ month: Int, _ day: Int, _ clock: String) -> Int64? {
    let parts = clock.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, let hour = number(parts[0], 2), let minute = number(parts[1], 2), let second = number(parts[2], 2),
      hour < 24, minute < 60, second <= 60, year >= 1, day >= 1, day <= length(ofMonth: month, year)
    else { return nil }
    return days(year, month, day) * 86_400 + Int64(hour * 3600 + minute * 60 + min(second, 59))
  }

  private static func number(_ text: String, _ digits: Int) -> Int? {
    guard text.utf8.count == digits, digits > 0, digits <= 4, text.utf8.allSatisfy(ByteClass.isDigit) else { return nil }
    return text.utf8.reduce(0) { $0 * 10 + Int($1 &- 0x30) }
  }

  private static func length(ofMonth month: Int, _ year: Int) -> Int {
    switch month {
    case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
    let shifted = Int64(month <= 2 ? year - 1 : year)
    let era = (shifted - floorMod(shifted, 400)) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func civil(fromDays days: Int64) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted - floorMod(shifted, 146_097)) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let index = (5 * dayOfYear + 2) / 153
    let month = Int(index < 10 ? index + 3 : index - 9)
    return (Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0), month, Int(dayOfYear - (153 * index + 2) / 5 + 1))
  }

  private static func floorMod(_ value: Int64, _ modulus: Int64) -> Int64 {
    let remainder = value % modulus
    return remainder < 0 ? remainder + modulus : remainder
  }

  private static func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }

  private static func four(_ value: Int) -> String {
    let text = "\(value)"
    return String(repeating: "0", count: 4 - text.utf8.count) + text
  }
}
