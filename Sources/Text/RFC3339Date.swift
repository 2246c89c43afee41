/// Dates of RFC 3339 as Unix milliseconds.
package enum RFC3339Date {
  /// Writes a date with milliseconds in UTC, such as `2026-11-21T12:04:31.482Z`; clamps to the years 1 to 9999.
  package static func format(milliseconds: Int64) -> String {
    let range = CivilTime.writableSeconds
    let clamped = min(max(milliseconds, range.lowerBound * 1000), range.upperBound * 1000 - 1)
    let fraction = clamped.modulo(1000)
    let time = CivilTime(secondsSince1970: (clamped - fraction) / 1000)
    return String(unsafeUninitializedCapacity: 24) { text in
      func write(_ number: Int, _ places: Range<Int>, then separator: Unicode.Scalar) {
        var rest = number
        for place in places.reversed() {
          text[place] = UInt8(ascii: "0") + UInt8(rest % 10)
          rest /= 10
        }
        text[places.upperBound] = UInt8(ascii: separator)
      }
      write(time.date.year, 0..<4, then: "-")
      write(time.date.month, 5..<7, then: "-")
      write(time.date.day, 8..<10, then: "T")
      write(time.hour, 11..<13, then: ":")
      write(time.minute, 14..<16, then: ":")
      write(time.second, 17..<19, then: ".")
      write(Int(fraction), 20..<23, then: "Z")
      return 24
    }
  }

  /// Reads `yyyy-MM-ddTHH:mm:ss[.fraction](Z|±HH:mm|±HHmm)`; digits after the millisecond are dropped.
  ///
  /// Returns nil for other text, a day that the calendar lacks, a leap second, and years outside 1 to 9999.
  package static func parse(_ text: String) -> Int64? {
    var reader = TextReader(text)
    guard let year = reader.number(digits: 4), reader.read("-"), let month = reader.number(digits: 2), reader.read("-"),
      let day = reader.number(digits: 2), let date = CivilDate(year: year, month: month, day: day),
      reader.read("T") || reader.read("t"), let second = reader.timeOfDay(allowsLeapSecond: false),
      let fraction = reader.fraction(), let offset = reader.offset(), reader.isAtEnd
    else { return nil }
    let seconds = date.daysSince1970 * 86_400 + Int64(second - offset * 60)
    guard year > 0, CivilTime.writableSeconds.contains(seconds) else { return nil }
    return seconds * 1000 + Int64(fraction)
  }
}

extension TextReader {
  /// Reads an optional point with at least one digit, as milliseconds (RFC 3339 §5.6 `time-secfrac`).
  fileprivate mutating func fraction() -> Int? {
    guard read(".") else { return 0 }
    var value = 0
    var count = 0
    while let digit = digit() {
      count += 1
      if count <= 3 { value = value * 10 + digit }
    }
    guard count > 0 else { return nil }
    for _ in count..<max(count, 3) { value *= 10 }
    return value
  }

  /// Reads `Z` or an offset from UTC, in minutes east.
  fileprivate mutating func offset() -> Int? {
    if read("Z") || read("z") { return 0 }
    let isWest = read("-")
    guard isWest || read("+"), let hours = number(digits: 2), hours < 24 else { return nil }
    _ = read(":")
    guard let minutes = number(digits: 2), minutes < 60 else { return nil }
    return (isWest ? -1 : 1) * (hours * 60 + minutes)
  }
}
