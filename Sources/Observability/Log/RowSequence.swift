/// The place of an attempt, or of an entry of the timeline, in the log of a device; the first is 1, and 0 is before all.
///
/// It also comes from requests, imported files and databases. It has neither `+` nor `-` and forms no ranges, so that no value
/// can end the process: results beyond its bounds are clamped.
package struct RowSequence: Hashable, Comparable, Sendable {
  /// The largest value that a column stores and that JSON keeps exact, which leaves room for sums.
  private static let largest: UInt64 = 1 << 53

  /// From 0 to 2^53.
  package let number: UInt64

  /// Creates the nearest value to a number.
  package init(clamping number: some BinaryInteger) { self.number = min(UInt64(clamping: number), Self.largest) }

  /// The last one.
  package static let last = RowSequence(clamping: largest)

  package static func < (left: RowSequence, right: RowSequence) -> Bool { left.number < right.number }

  /// The place after this one.
  package var next: RowSequence { advanced(by: 1) }

  /// The place before this one; 0 for 0.
  package var previous: RowSequence { moved(back: 1) }

  /// The place this many before this one.
  package func moved(back count: UInt64) -> RowSequence { RowSequence(clamping: number > count ? number - count : 0) }

  /// The place this many after this one.
  package func advanced(by count: UInt64) -> RowSequence {
    let (sum, overflows) = number.addingReportingOverflow(count)
    return RowSequence(clamping: overflows ? Self.largest : sum)
  }

  /// How many places it is after another one; 0 if it is not after it.
  package func distance(behind other: RowSequence) -> UInt64 { number > other.number ? number - other.number : 0 }
}

extension RowSequence: Codable {
  package init(from decoder: any Decoder) throws { self.init(clamping: try UInt64(from: decoder)) }

  package func encode(to encoder: any Encoder) throws { try number.encode(to: encoder) }
}

extension RowSequence: ExpressibleByIntegerLiteral, CustomStringConvertible {
  package init(integerLiteral number: UInt64) { self.init(clamping: number) }

  package var description: String { "\(number)" }
}
