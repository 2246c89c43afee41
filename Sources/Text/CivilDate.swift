/// A day of the proleptic Gregorian calendar.
///
/// The arithmetic counts years from March, so that a leap day is the last day of its year, in eras of 400 years.
package struct CivilDate: Hashable, Sendable {
  /// The year; 0 is 1 BC.
  package let year: Int
  /// The month, 1 to 12.
  package let month: Int
  /// The day of the month, from 1.
  package let day: Int

  private static let daysPerEra: Int64 = 146_097
  /// Days from 0000-03-01 to 1970-01-01.
  private static let daysToEpoch: Int64 = 719_468

  /// The day of that date; nil if the calendar has no such day.
  package init?(year: Int, month: Int, day: Int) {
    guard (1...12).contains(month), day >= 1, day <= Self.dayCount(ofMonth: month, year: year) else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  /// The day that many days after 1970-01-01; accepts any day that a 64-bit count of seconds can reach.
  package init(daysSince1970 days: Int64) {
    let shifted = days + Self.daysToEpoch
    let dayOfEra = shifted.modulo(Self.daysPerEra)
    let era = (shifted - dayOfEra) / Self.daysPerEra
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    month = Int(monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9)
    year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
    day = Int(dayOfYear - (153 * monthFromMarch + 2) / 5) + 1
  }

  /// Days from 1970-01-01 to this day.
  package var daysSince1970: Int64 {
    let yearFromMarch = Int64(month > 2 ? year : year - 1)
    let yearOfEra = yearFromMarch.modulo(400)
    let dayOfYear = Int64((153 * ((month + 9) % 12) + 2) / 5 + day - 1)
    return (yearFromMarch - yearOfEra) / 400 * Self.daysPerEra + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
      - Self.daysToEpoch
  }

  /// Whether the year has a leap day.
  private static func isLeapYear(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  private static func dayCount(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: isLeapYear(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

extension Int64 {
  /// The remainder of a division that rounds down, never negative for a positive divisor.
  func modulo(_ divisor: Int64) -> Int64 {
    let remainder = self % divisor
    return remainder < 0 ? remainder + divisor : remainder
  }
}
