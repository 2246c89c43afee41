/// Durations in order, to read quantiles from.
struct Quantiles {
  private let sorted: [Double]

  /// Sorts durations, in microseconds from here on.
  init(_ durations: [Duration]) {
    sorted = durations.map { Double($0.components.seconds) * 1e6 + Double($0.components.attoseconds) / 1e12 }.sorted()
  }

  /// The value below which a part of 0 … 1 lies; 0 for none.
  func callAsFunction(_ part: Double) -> Double {
    guard !sorted.isEmpty else { return 0 }
    return sorted[min(sorted.count - 1, max(0, Int(Double(sorted.count) * part)))]
  }
}

/// The middle value of some; 0 for none.
func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
}
