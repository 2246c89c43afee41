/// The quantiles of a list of durations.
struct Quantiles {
  private let sorted: [Double]

  /// Sorts the durations and converts them to microseconds.
  init(_ durations: [Duration]) {
    sorted = durations.map { Double($0.components.seconds) * 1e6 + Double($0.components.attoseconds) / 1e12 }.sorted()
  }

  /// The quantile of a part between 0 and 1, in microseconds; 0 if there are no durations.
  func callAsFunction(_ part: Double) -> Double {
    guard !sorted.isEmpty else { return 0 }
    return sorted[min(sorted.count - 1, max(0, Int(Double(sorted.count) * part)))]
  }
}

/// The median; 0 if there are no values.
func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
}
