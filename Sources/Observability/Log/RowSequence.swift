/// The place of an attempt, or of an entry of the timeline, in the log of a device; the first is 1, and 0 is before all.
///
/// It comes from requests, imported files and databases as well. So that none of them can end the process, it has neither `+` nor `-` and
/// forms no ranges: what leads beyond its bounds stays at them.
package struct RowSequence: Hashable, Comparable, Sendable {
  /// The largest that a column holds and that JSON keeps exact, which leaves room for sums.
  private static let largest: UInt64 = 1 << 53

  /// From 0 to 2^53.
  package let number: UInt64

  /// The nearest one to a number.
  package init(clamping number: some BinaryInteger) { self.number = min(UInt64(clamping: number), Self.largest) }

  /// The last one.
  package static let last = RowSequence(clamping: largest)

  package static func < (left: RowSequence, right: RowSequence) -> Bool { left.number < right.number }

  /// The one behind this one.
  package var next: RowSequence { advanced(by: 1) }

  /// The one in front of this one; 0 for 0.
  package var previous: RowSequence { moved(back: 1) }

  /// The one that is so many places in front of this one.
  package func moved(back count: UInt64) -> RowSequence { RowSequence(clamping: number > count ? number - count : 0) }

  /// The one that is so many places behind this one.
  package func advanced(by count: UInt64) -> RowSequence {
    let (sum, overflows) = number.addingReportingOverflow(count)
    return RowSequence(clamping: overflows ? Self.largest : sum)
  }

  /// How many places it is behind another one; 0 if it is not behind it.
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
