/// A date and a time of day in UTC, to the second; leap seconds are not counted.
package struct CivilTime: Hashable, Sendable {
  /// Unix seconds of the first instant of the year 1 and the first after the year 9999: the years that RFC 9110 and RFC 3339 can write.
  package static let writableSeconds: Range<Int64> = -62_135_596_800..<253_402_300_800

  /// The day.
  package let date: CivilDate
  /// Seconds since the day began, 0 to 86 399.
  package let secondOfDay: Int

  /// The time that many seconds after 1970-01-01T00:00:00Z.
  package init(secondsSince1970 seconds: Int64) {
    let rest = seconds.modulo(86_400)
    // Rounds down without a subtraction, which could overflow.
    date = CivilDate(daysSince1970: seconds / 86_400 - (seconds < 0 && rest > 0 ? 1 : 0))
    secondOfDay = Int(rest)
  }

  /// The hour, 0 to 23.
  package var hour: Int { secondOfDay / 3600 }
  /// The minute, 0 to 59.
  package var minute: Int { secondOfDay / 60 % 60 }
  /// The second, 0 to 59.
  package var second: Int { secondOfDay % 60 }
}
