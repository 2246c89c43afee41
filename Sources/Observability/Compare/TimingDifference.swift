/// How the durations of an endpoint's answers differ between two recordings, in milliseconds.
package struct TimingDifference: Hashable, Codable, Sendable {
  package let median: Double
  package let referenceMedian: Double

  /// Nil if the medians differ by no more than noise: 50 ms, half of the reference, or three times the spread of either
  /// recording, whichever is most. The spread is the median absolute deviation, scaled to a standard deviation.
  init?(_ durations: [Double], reference: [Double]) {
    guard let median = Self.median(durations), let other = Self.median(reference) else { return nil }
    let spread = [durations, reference].map { list -> Double in
      let middle = Self.median(list) ?? 0
      return 1.4826 * (Self.median(list.map { abs($0 - middle) }) ?? 0)
    }
    let noise = max(50, other / 2, 3 * (spread.max() ?? 0))
    guard abs(median - other) > noise else { return nil }
    self.median = (median * 10).rounded() / 10
    referenceMedian = (other * 10).rounded() / 10
  }

  /// The median; nil of nothing.
  static func median(_ list: [Double]) -> Double? {
    guard !list.isEmpty else { return nil }
    let sorted = list.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
