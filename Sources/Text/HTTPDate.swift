/// Dates of HTTP header fields (RFC 9110 §5.6.7) as Unix seconds.
package enum HTTPDate {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let longDays = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
  private static let range = CivilTime.writableSeconds

  /// Writes the preferred form, such as `Sun, 06 Nov 1994 08:49:37 GMT`; clamps to the years 1 to 9999.
  package static func format(_ seconds: Int64) -> String {
    let instant = min(max(seconds, range.lowerBound), range.upperBound - 1)
    let time = CivilTime(secondsSince1970: instant)
    let weekday = days[Int(time.date.daysSince1970.modulo(7))]
    return "\(weekday), \(time.date.day.padded(to: 2)) \(months[time.date.month - 1]) \(time.date.year.padded(to: 4)) "
      + "\(time.hour.padded(to: 2)):\(time.minute.padded(to: 2)):\(time.second.padded(to: 2)) GMT"
  }

  /// Reads any of the three forms; returns nil for other text and for years outside 1 to 9999.
  ///
  /// `now`, in Unix seconds, is the reference for a two-digit year.
  package static func parse(_ text: String, now: Int64 = 0) -> Int64? {
    var reader = TextReader(text)
    guard let seconds = preferred(reader) ?? obsolete(reader, now: now) ?? asctime(&reader) else { return nil }
    return range.contains(seconds) ? seconds : nil
  }

  /// `Sun, 06 Nov 1994 08:49:37 GMT`.
  private static func preferred(_ text: TextReader) -> Int64? {
    var reader = text
    guard reader.word(of: days) != nil, reader.read(","), reader.read(" "), let day = reader.number(digits: 2), reader.read(" "),
      let month = reader.word(of: months), reader.read(" "), let year = reader.number(digits: 4), reader.read(" ")
    else { return nil }
    return seconds(year: year, month: month + 1, day: day, endingWith: &reader)
  }

  /// `Sunday, 06-Nov-94 08:49:37 GMT`, the form of RFC 850.
  private static func obsolete(_ text: TextReader, now: Int64) -> Int64? {
    var reader = text
    guard reader.word(of: longDays) != nil, reader.read(","), reader.read(" "), let day = reader.number(digits: 2),
      reader.read("-"), let month = reader.word(of: months), reader.read("-"), let year = reader.number(digits: 2),
      reader.read(" ")
    else { return nil }
    return seconds(year: fullYear(year, now: now), month: month + 1, day: day, endingWith: &reader)
  }

  /// `Sun Nov  6 08:49:37 1994`, as C's `asctime` writes it; a day of one digit may have one space before it or two.
  private static func asctime(_ reader: inout TextReader) -> Int64? {
    guard reader.word(of: days) != nil, reader.read(" "), let month = reader.word(of: months), reader.read(" ") else {
      return nil
    }
    let isPadded = reader.read(" ")
    guard var day = reader.digit() else { return nil }
    if !isPadded, let second = reader.digit() { day = day * 10 + second }
    guard reader.read(" "), let second = reader.timeOfDay(allowsLeapSecond: true), reader.read(" "),
      let year = reader.number(digits: 4), reader.isAtEnd
    else { return nil }
    return seconds(year: year, month: month + 1, day: day, second: second)
  }

  /// The latest year with these last two digits that is at most 50 years ahead, as RFC 9110 requires.
  private static func fullYear(_ lastDigits: Int, now: Int64) -> Int {
    let instant = min(max(now, range.lowerBound), range.upperBound - 1)
    let latest = CivilTime(secondsSince1970: instant).date.year + 50
    return latest - Int(Int64(latest - lastDigits).modulo(100))
  }

  private static func seconds(year: Int, month: Int, day: Int, endingWith reader: inout TextReader) -> Int64? {
    guard let second = reader.timeOfDay(allowsLeapSecond: true), reader.word(of: [" GMT"]) != nil, reader.isAtEnd else {
      return nil
    }
    return seconds(year: year, month: month, day: day, second: second)
  }

  private static func seconds(year: Int, month: Int, day: Int, second: Int) -> Int64? {
    CivilDate(year: year, month: month, day: day).map { $0.daysSince1970 * 86_400 + Int64(second) }
  }
}

extension Int {
  /// The decimal digits, with zeros in front up to a width.
  fileprivate func padded(to width: Int) -> String {
    let digits = String(self)
    return String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
  }
}
