extension FixedWidthInteger {
  /// The sum; the largest or smallest value of the type in place of one that it cannot represent.
  package func addingClamped(_ other: Self) -> Self {
    let (sum, overflows) = addingReportingOverflow(other)
    guard overflows else { return sum }
    return other < 0 ? .min : .max
  }
}

extension Sequence where Element: FixedWidthInteger {
  /// The sum of numbers from outside; the largest or smallest value of the type in place of one that it cannot represent.
  package var clampedSum: Element { reduce(0) { $0.addingClamped($1) } }
}
