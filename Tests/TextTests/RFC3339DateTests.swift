import Testing
import Text

struct RFC3339DateTests {
  /// The examples of RFC 3339 §5.8 that have no leap second, and instants at the edges of the calendar.
  @Test(
    arguments: [
      ("1985-04-12T23:20:50.52Z", 482_196_050_520), ("1996-12-19T16:39:57-08:00", 851_042_397_000),
      ("1937-01-01T12:00:27.87+00:20", -1_041_337_172_130), ("0001-01-01T00:00:00.000Z", -62_135_596_800_000),
      ("9999-12-31T23:59:59.999Z", 253_402_300_799_999), ("2000-02-29T00:00:00Z", 951_782_400_000),
    ] as [(String, Int64)])
  func reads(text: String, milliseconds: Int64) { #expect(RFC3339Date.parse(text) == milliseconds) }

  @Test(arguments: [
    "0000-01-01T00:00:00Z", "10000-01-01T00:00:00Z", "1990-12-31T23:59:60Z", "2026-02-29T00:00:00Z", "2026-11-21T12:04:31",
    "2026-11-21T12:04:31.Z", "2026-11-21T12:04:31Z ", "2026-11-21 12:04:31Z", "0001-01-01T00:00:00+00:01", "",
  ])
  func refuses(text: String) { #expect(RFC3339Date.parse(text) == nil) }

  @Test func writesWhatItReads() {
    for milliseconds in stride(from: Int64(-62_135_596_800_000), through: 253_402_300_799_999, by: 86_400_123 * 61) {
      let text = RFC3339Date.format(milliseconds: milliseconds)
      #expect(text.utf8.count == 24 && RFC3339Date.parse(text) == milliseconds)
    }
    #expect(RFC3339Date.format(milliseconds: -1) == "1969-12-31T23:59:59.999Z")
    #expect(RFC3339Date.format(milliseconds: .min) == "0001-01-01T00:00:00.000Z")
    #expect(RFC3339Date.format(milliseconds: .max) == "9999-12-31T23:59:59.999Z")
  }
}
