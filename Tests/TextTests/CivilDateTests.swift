import Testing
import Text

struct CivilDateTests {
  /// Day numbers from `date -u -d DATE +%s` divided by 86 400, and for the years 0 and 1 from the Julian day numbers of ISO 8601.
  @Test(arguments: [
    (1970, 1, 1, 0), (1969, 12, 31, -1), (2000, 2, 29, 11_016), (2000, 3, 1, 11_017), (1900, 2, 28, -25_509),
    (1900, 3, 1, -25_508), (2026, 11, 22, 20_779), (2100, 3, 1, 47_541), (9999, 12, 31, 2_932_896), (1, 1, 1, -719_162),
    (0, 12, 31, -719_163), (0, 3, 1, -719_468), (0, 2, 29, -719_469), (0, 1, 1, -719_528),
  ])
  func knownDays(year: Int, month: Int, day: Int, number: Int64) throws {
    let date = try #require(CivilDate(year: year, month: month, day: day))
    #expect(date.daysSince1970 == number)
    #expect(CivilDate(daysSince1970: number) == date)
  }

  /// A whole cycle of 400 years, the years that occur, and the last ones.
  @Test(arguments: [(0, 400, Int64(-719_528)), (1900, 2100, -25_567), (9900, 9999, 2_896_373)])
  func everyDayFollowsTheDayBefore(first: Int, last: Int, number: Int64) {
    var year = first
    var month = 1
    var day = 1
    var number = number
    let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    var wrong: [Int64] = []
    while year <= last {
      let date = CivilDate(daysSince1970: number)
      if date.year != year || date.month != month || date.day != day || date.daysSince1970 != number { wrong.append(number) }
      number += 1
      day += 1
      let isLeap = year % 400 == 0 || year % 4 == 0 && year % 100 != 0
      if day > lengths[month - 1] + (month == 2 && isLeap ? 1 : 0) { (month, day) = (month + 1, 1) }
      if month > 12 { (year, month) = (year + 1, 1) }
    }
    #expect(wrong.isEmpty)
  }

  @Test(arguments: [
    (2023, 2, 29), (1900, 2, 29), (2100, 2, 29), (2000, 2, 30), (2024, 4, 31), (2024, 0, 1), (2024, 13, 1), (2024, 1, 0),
    (2024, 1, 32),
  ])
  func daysThatTheCalendarLacks(year: Int, month: Int, day: Int) { #expect(CivilDate(year: year, month: month, day: day) == nil) }

  @Test func timesBeforeAndAfter1970() {
    let before = CivilTime(secondsSince1970: -1)
    #expect(before.date == CivilDate(year: 1969, month: 12, day: 31))
    #expect((before.hour, before.minute, before.second) == (23, 59, 59))
    let after = CivilTime(secondsSince1970: 1_795_262_671)
    #expect(after.date == CivilDate(year: 2026, month: 11, day: 21))
    #expect((after.hour, after.minute, after.second) == (12, 4, 31))
  }

  @Test(arguments: [Int64.min, .max]) func noCountOfSecondsTraps(seconds: Int64) {
    #expect(CivilTime(secondsSince1970: seconds).secondOfDay < 86_400)
  }
}
