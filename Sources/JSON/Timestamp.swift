package import FoundationEssentials
import Text

/// An instant in whole milliseconds of the years 1 to 9999, as JSON carries it.
package struct Timestamp: Codable, Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The first millisecond of the year 1 and the last of the year 9999, from 1970 on.
  static let bounds: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

  /// Milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
  package private(set) var milliseconds: Int64

  /// The instant, rounded to the nearest millisecond; a date outside the years 1 to 9999 becomes the nearest one inside.
  package init(_ date: Date) {
    milliseconds = 0
    self.date = date
  }

  /// The instant that many milliseconds after 1970, or the nearest one inside the years 1 to 9999.
  package init(milliseconds: Int64) {
    self.milliseconds = min(max(milliseconds, Self.bounds.lowerBound), Self.bounds.upperBound)
  }

  /// The instant in text: RFC 3339 with or without a fraction, `Z` or an offset with or without its colon (the seed's `+0000`).
  ///
  /// Digits beyond the millisecond are dropped. nil for a day that the calendar lacks, a second 60, and years outside 1 to 9999.
  package init?(parsing text: String) {
    guard let milliseconds = RFC3339Date.parse(text), Self.bounds.contains(milliseconds) else { return nil }
    self.milliseconds = milliseconds
  }

  /// The instant as a date.
  package var date: Date {
    get { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
    set {
      let value = (newValue.timeIntervalSince1970 * 1000).rounded()
      let limits = (Double(Self.bounds.lowerBound), Double(Self.bounds.upperBound))
      // A comparison with NaN is false, so it falls to the start.
      milliseconds = value >= limits.1 ? Self.bounds.upperBound : value > limits.0 ? Int64(value) : Self.bounds.lowerBound
    }
  }

  /// RFC 3339 with milliseconds and `Z`, such as `2026-11-21T12:04:31.482Z`.
  package var text: String { RFC3339Date.format(milliseconds: milliseconds) }
  /// The same as `text`.
  package var description: String { text }

  /// The earlier of two instants is the smaller.
  package static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

  /// Reads a string; throws `DecodingError.dataCorrupted` for text that is no instant.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let value = Timestamp(parsing: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a date")
    }
    self = value
  }

  /// Writes `text`.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
