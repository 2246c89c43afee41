package import FoundationEssentials
import Text

/// An instant in whole milliseconds within the years 1 to 9999; in JSON, a date of RFC 3339.
package struct Timestamp: Codable, Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The first millisecond of the year 1 and the last of the year 9999, since 1970.
  static let bounds: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

  /// Milliseconds since 1970-01-01T00:00:00Z without leap seconds.
  package private(set) var milliseconds: Int64

  /// Rounds the date to the nearest millisecond and clamps it to the years 1 to 9999.
  package init(_ date: Date) {
    milliseconds = 0
    self.date = date
  }

  /// Clamps the instant to the years 1 to 9999.
  package init(milliseconds: Int64) {
    self.milliseconds = min(max(milliseconds, Self.bounds.lowerBound), Self.bounds.upperBound)
  }

  /// Parses RFC 3339 with an optional fraction, and an offset with or without a colon (`+0000`, seed-rules I-4 "Dates of that
  /// form are read").
  ///
  /// Drops digits after the millisecond. Returns nil for other text, leap seconds, and years outside 1 to 9999.
  package init?(parsing text: String) {
    guard let milliseconds = RFC3339Date.parse(text), Self.bounds.contains(milliseconds) else { return nil }
    self.milliseconds = milliseconds
  }

  /// Reads the time since 1970 in seconds, if it is below 10¹¹ (the year 5138), else in milliseconds.
  ///
  /// Rounds to the nearest millisecond. Returns nil outside the years 1 to 9999.
  package init?(sinceEpoch value: Double) {
    let milliseconds = (abs(value) < 100_000_000_000 ? value * 1000 : value).rounded()
    guard let exact = Int64(exactly: milliseconds), Self.bounds.contains(exact) else { return nil }
    self.milliseconds = exact
  }

  /// The instant as a date.
  package var date: Date {
    get { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
    set {
      let value = (newValue.timeIntervalSince1970 * 1000).rounded()
      let limits = (Double(Self.bounds.lowerBound), Double(Self.bounds.upperBound))
      // Comparisons with NaN are false, so NaN becomes the lower bound.
      milliseconds = value >= limits.1 ? Self.bounds.upperBound : value > limits.0 ? Int64(value) : Self.bounds.lowerBound
    }
  }

  /// RFC 3339 with milliseconds and `Z`, such as `2026-11-21T12:04:31.482Z`.
  package var text: String { RFC3339Date.format(milliseconds: milliseconds) }
  /// The same as `text`.
  package var description: String { text }

  package static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

  /// Decodes a string; throws `JSONError` or `DecodingError.dataCorrupted` if it is not an instant.
  package init(from decoder: any Decoder) throws {
    if let decoder = decoder as? JSONNodeDecoder {
      self = try decoder.leaf()
      return
    }
    let container = try decoder.singleValueContainer()
    guard let value = Timestamp(parsing: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a date")
    }
    self = value
  }

  /// Encodes `text`.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
