import FoundationEssentials
import Testing

@testable import JSON

struct TimestampTests {
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"), (1_795_262_671_482, "2026-11-21T12:04:31.482Z"),
      (951_782_400_000, "2000-02-29T00:00:00.000Z"), (951_868_799_999, "2000-02-29T23:59:59.999Z"),
      (951_868_800_000, "2000-03-01T00:00:00.000Z"),
      (4_107_542_399_999, "2100-02-28T23:59:59.999Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
      (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
      (-2_203_891_200_000, "1900-03-01T00:00:00.000Z"), (-2_203_891_200_001, "1900-02-28T23:59:59.999Z"),
    ] as [(Int64, String)])
  func knownInstants(milliseconds: Int64, text: String) {
    #expect(Timestamp(milliseconds: milliseconds).text == text)
    #expect(Timestamp(parsing: text)?.milliseconds == milliseconds)
  }

  @Test(arguments: [
    "2026-11-21T12:04:31.482Z", "2026-11-21T12:04:31.482+00:00", "2026-11-21T12:04:31.482+0000", "2026-11-21T12:04:31.482-00:00",
    "2026-11-21T14:04:31.482+02:00", "2026-11-21T14:04:31.482+0200", "2026-11-21T06:34:31.482-05:30",
    "2026-11-22T11:59:31.482+23:55",
    "2026-11-20T12:05:31.482-23:59", "2026-11-21t12:04:31.482z", "2026-11-21T12:04:31.4829Z", "2026-11-21T12:04:31.482999999Z",
  ])
  func everyFormIsTheSameInstant(text: String) {
    #expect(Timestamp(parsing: text)?.text == "2026-11-21T12:04:31.482Z")
  }

  @Test(arguments: [
    ("2026-11-21T12:04:31Z", 0), ("2026-11-21T12:04:31.4Z", 400), ("2026-11-21T12:04:31.04+0000", 40),
    ("2026-11-21T12:04:31.000Z", 0),
  ])
  func fractionsAreMilliseconds(text: String, milliseconds: Int64) throws {
    #expect(try #require(Timestamp(parsing: text)).milliseconds % 1000 == milliseconds)
  }

  @Test(arguments: [
    "", "2026", "2026-11-21", "2026-11-21T12:04", "2026-11-21T12:04:31", "2026-11-21 12:04:31Z", "2026-11-21T12:04:31.Z",
    "2026-11-21T12:04:31,5Z", "2026-11-21T12:04:31+", "2026-11-21T12:04:31+00",
    "2026-11-21T12:04:31+0",
    "2026-11-21T12:04:31+24:00", "2026-11-21T12:04:31+00:60", "2026-11-21T12:04:31+00:00Z", "2026-11-21T12:04:31Z ",
    " 2026-11-21T12:04:31Z",
    "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-32T00:00:00Z", "2026-04-31T00:00:00Z",
    "2026-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2000-02-30T00:00:00Z", "2024-02-30T00:00:00Z",
    "2026-11-21T24:00:00Z", "2026-11-21T12:60:00Z", "2026-11-21T12:04:60Z", "0000-01-01T00:00:00Z", "0001-01-01T00:00:00+00:01",
    "9999-12-31T23:59:59-00:01", "10000-01-01T00:00:00Z", "-001-01-01T00:00:00Z", "+2026-11-21T12:04:31Z", "2026-1-21T12:04:31Z",
    "２026-11-21T12:04:31Z", "2026-11-21T12:04:31Z\u{0}", "2026-11-21T12:04:31\u{2212}01:00",
  ])
  func anythingElseIsRefused(text: String) { #expect(Timestamp(parsing: text) == nil) }

  @Test func leapDaysFollowTheGregorianRule() {
    for year in 1...9999 {
      let isLeap = year % 400 == 0 || year % 4 == 0 && year % 100 != 0
      let text = String(repeating: "0", count: 4 - String(year).count) + String(year)
      #expect((Timestamp(parsing: "\(text)-02-29T00:00:00Z") != nil) == isLeap)
    }
  }

  /// Every 97th day of the years 1 to 9999 is later than the one before and survives a round trip.
  @Test func daysFollowEachOther() {
    let day: Int64 = 86_400_000
    var last = ""
    for milliseconds in stride(
      from: Timestamp.bounds.lowerBound, through: Timestamp.bounds.upperBound, by: Int64.Stride(day * 97))
    {
      let stamp = Timestamp(milliseconds: milliseconds)
      #expect(stamp.text > last)
      #expect(Timestamp(parsing: stamp.text) == stamp)
      #expect(Timestamp(stamp.date) == stamp)
      last = stamp.text
    }
  }

  @Test func everyMillisecondOfASecondComesBackThroughADate() {
    for milliseconds in Int64(1_795_262_671_000)..<1_795_262_672_000 {
      #expect(Timestamp(Timestamp(milliseconds: milliseconds).date).milliseconds == milliseconds)
    }
  }

  // Seconds, because Foundation cannot print a date that is not a number.
  @Test(
    arguments: [
      (Date.distantPast.timeIntervalSince1970, "0001-01-01T00:00:00.000Z"), (.nan, "0001-01-01T00:00:00.000Z"),
      (-.infinity, "0001-01-01T00:00:00.000Z"), (1e300, "9999-12-31T23:59:59.999Z"), (.infinity, "9999-12-31T23:59:59.999Z"),
      (0.0006, "1970-01-01T00:00:00.001Z"),
    ] as [(Double, String)])
  func datesBeyondTheYearsBecomeTheNearest(seconds: Double, text: String) {
    #expect(Timestamp(Date(timeIntervalSince1970: seconds)).text == text)
  }

  @Test func numbersBeyondTheYearsBecomeTheNearest() {
    #expect(Timestamp(milliseconds: .min).text == "0001-01-01T00:00:00.000Z")
    #expect(Timestamp(milliseconds: .max).text == "9999-12-31T23:59:59.999Z")
    #expect(Timestamp(milliseconds: 1) < Timestamp(milliseconds: 2))
  }
}
