/// RFC 3339 text and milliseconds since 1970, over the proleptic Gregorian calendar.
enum TimestampText {
  private static let millisecondsPerDay: Int64 = 86_400_000

  /// The text of an instant within the years 1 to 9999.
  static func text(milliseconds: Int64) -> String {
    let days = milliseconds.flooredQuotient(by: millisecondsPerDay)
    let time = milliseconds - days * millisecondsPerDay
    let (year, month, day) = civil(days: days)
    var text = ""
    text.reserveCapacity(24)
    append(year, width: 4, then: "-", to: &text)
    append(month, width: 2, then: "-", to: &text)
    append(day, width: 2, then: "T", to: &text)
    append(time / 3_600_000, width: 2, then: ":", to: &text)
    append(time / 60_000 % 60, width: 2, then: ":", to: &text)
    append(time / 1000 % 60, width: 2, then: ".", to: &text)
    append(time % 1000, width: 3, then: "Z", to: &text)
    return text
  }

  private static func append(_ number: Int64, width: Int, then separator: String, to text: inout String) {
    let digits = String(number)
    text += String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits + separator
  }

  /// The instant in `yyyy-MM-ddTHH:mm:ss[.fraction](Z|±HH:mm|±HHmm)`; nil for anything else.
  static func milliseconds(parsing text: String) -> Int64? {
    var reader = Reader(rest: Array(text.utf8)[...])
    guard let year = reader.number(4), (1...9999).contains(year), reader.take("-"),
      let month = reader.number(2), (1...12).contains(month), reader.take("-"),
      let day = reader.number(2), day >= 1, day <= length(ofMonth: month, year: year), reader.take("T") || reader.take("t"),
      let hour = reader.number(2), hour < 24, reader.take(":"),
      let minute = reader.number(2), minute < 60, reader.take(":"),
      let second = reader.number(2), second < 60,
      let fraction = reader.fraction(), let offset = reader.offset(), reader.rest.isEmpty
    else { return nil }
    let time = ((hour * 60 + minute - offset) * 60 + second) * 1000 + fraction
    return days(year: year, month: month, day: day) * millisecondsPerDay + time
  }

  private static func length(ofMonth month: Int64, year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  // The two directions count years from March, so that the leap day ends one, and days from 0000-03-01, 719 468 before 1970.

  private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let year = month > 2 ? year : year - 1
    let monthFromMarch = (month + 9) % 12
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
  }

  private static func civil(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = shifted.flooredQuotient(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }

  /// What is left of the text.
  private struct Reader {
    var rest: ArraySlice<UInt8>

    /// Takes one character if it is next.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard rest.first == UInt8(ascii: character) else { return false }
      rest.removeFirst()
      return true
    }

    /// Takes exactly `count` digits.
    mutating func number(_ count: Int) -> Int64? {
      guard rest.count >= count else { return nil }
      var value: Int64 = 0
      for _ in 0..<count {
        guard let digit = digit() else { return nil }
        value = value * 10 + digit
      }
      return value
    }

    private mutating func digit() -> Int64? {
      guard let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      rest.removeFirst()
      return Int64(byte - UInt8(ascii: "0"))
    }

    /// Takes an optional point with one to nine digits: milliseconds.
    mutating func fraction() -> Int64? {
      guard take(".") else { return 0 }
      var value: Int64 = 0
      var count = 0
      while let digit = digit() {
        count += 1
        if count <= 3 { value = value * 10 + digit }
      }
      guard (1...9).contains(count) else { return nil }
      for _ in count..<max(count, 3) { value *= 10 }
      return value
    }

    /// Takes `Z` or an offset, in minutes east.
    mutating func offset() -> Int64? {
      if take("Z") || take("z") { return 0 }
      let isNegative = take("-")
      guard isNegative || take("+"), let hours = number(2), hours < 24 else { return nil }
      _ = take(":")
      guard let minutes = number(2), minutes < 60 else { return nil }
      return (isNegative ? -1 : 1) * (hours * 60 + minutes)
    }
  }
}

extension Int64 {
  /// The quotient rounded down, by a positive divisor.
  fileprivate func flooredQuotient(by divisor: Int64) -> Int64 {
    self >= 0 ? self / divisor : -((-self + divisor - 1) / divisor)
  }
}
