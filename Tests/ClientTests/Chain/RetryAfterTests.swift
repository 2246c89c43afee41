import HTTPTypes
import Testing
import Text

@testable import Client

struct RetryAfterTests {
  /// 2026-11-21T12:00:00Z.
  let wall: Int64 = 1_795_262_400

  @Test func dateIsMeasuredAgainstTheAnswersOwn() {
    let headers: HTTPFields = [.retryAfter: "Sat, 21 Nov 2026 12:02:00 GMT", .date: "Sat, 21 Nov 2026 12:01:50 GMT"]
    #expect(RetryAfter.seconds(in: headers, wall: wall - 86_400) == 10)
  }

  @Test func missingFieldAsksForNothing() { #expect(RetryAfter.seconds(in: [:], wall: wall) == nil) }

  @Test(
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800),
      ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Thu, 29 Feb 2023 00:00:00 GMT", nil), ("Thu, 29 Feb 1900 00:00:00 GMT", nil),
      ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400), ("Sun, 06 Nov 1994 24:00:00 GMT", nil),
      ("Sun, 06 Nov 1994 08:49:37 CET", nil),
      ("Sun, 6 Nov 1994 08:49:37 GMT", nil), ("06 Nov 1994 08:49:37 GMT", nil), ("Sun, 06 Foo 1994 08:49:37 GMT", nil),
      ("Sun, 06 Nov 19940 08:49:37 GMT", nil), ("Friday, 31-Dec-99 23:59:59 GMT", 946_684_799),
      // A year up to 50 years ahead of 2026 stays; 51 years ahead belongs to the previous century.
      ("Tuesday, 01-Jan-76 00:00:00 GMT", 3_345_062_400), ("Saturday, 01-Jan-77 00:00:00 GMT", 220_924_800),
    ] as [(String, Int64?)])
  func httpDates(text: String, seconds: Int64?) {
    #expect(HTTPDate.parse(text, now: wall) == seconds)
  }
}
