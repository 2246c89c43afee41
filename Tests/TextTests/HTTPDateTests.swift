import Testing
import Text

@Suite struct HTTPDateTests {
  @Test func formats() {
    #expect(HTTPDate.format(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(HTTPDate.format(0) == "Thu, 01 Jan 1970 00:00:00 GMT")
    #expect(HTTPDate.format(1_709_164_800) == "Thu, 29 Feb 2024 00:00:00 GMT")
    #expect(HTTPDate.format(.max) == "Fri, 31 Dec 9999 23:59:59 GMT")
    #expect(HTTPDate.format(.min) == "Mon, 01 Jan 0001 00:00:00 GMT")
  }

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
  ])
  func parsesThreeForms(_ text: String) {
    #expect(HTTPDate.parse(text, now: 1_700_000_000) == 784_111_777)
  }

  @Test(
    arguments: [
      ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800), ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
      ("Thu, 29 Feb 1900 00:00:00 GMT", nil), ("Thu, 29 Feb 2023 00:00:00 GMT", nil),
      ("Mon, 01 Jan 0001 00:00:00 GMT", -62_135_596_800), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
      ("Sat, 01 Jan 0000 00:00:00 GMT", nil), ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_799),
      ("Sat Dec 31 23:59:59 1994", 788_918_399), ("Sat Dec  31 23:59:59 1994", nil),
    ] as [(String, Int64?)])
  func calendar(text: String, seconds: Int64?) {
    #expect(HTTPDate.parse(text) == seconds)
  }

  @Test func twoDigitYearsAreAtMost50YearsAhead() {
    #expect(HTTPDate.parse("Friday, 01-Jan-74 00:00:00 GMT", now: 1_700_000_000).map(HTTPDate.format)?.contains("1974") == true)
    #expect(HTTPDate.parse("Monday, 01-Jan-73 00:00:00 GMT", now: 1_700_000_000).map(HTTPDate.format)?.contains("2073") == true)
    // 2099-01-01: the year 10 is that of the next century.
    #expect(
      HTTPDate.parse("Wednesday, 01-Jan-10 00:00:00 GMT", now: 4_070_908_800).map(HTTPDate.format)?.contains("2110") == true)
    #expect(HTTPDate.parse("Friday, 01-Jan-10 00:00:00 GMT", now: 253_402_300_799) == nil)
  }

  @Test(arguments: [
    "", "x", "Sun, 06 Nov 1994 08:49:37", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
    "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 99999 08:49:37 GMT",
    "Sun, 06 Nov 1994 +8:49:37 GMT",
    "Sun,  06 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun Nov 99999999999999999999 08:49:37 1994",
  ])
  func refusesOthers(_ text: String) {
    #expect(HTTPDate.parse(text) == nil)
  }

  @Test func roundTrips() {
    for seconds in stride(from: Int64(-62_135_596_800), to: 253_402_300_799, by: 8_640_017 * 3) {
      #expect(HTTPDate.parse(HTTPDate.format(seconds)) == seconds)
    }
  }
}
