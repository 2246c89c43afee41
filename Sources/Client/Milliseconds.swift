extension Duration {
  /// The duration in milliseconds, including the fraction.
  var milliseconds: Double { self / .milliseconds(1) }

  /// Milliseconds, rounded up and clamped below `Int32.max`, as C timeouts expect.
  var wholeMilliseconds: Int {
    // As a Double: arithmetic on the 128-bit components costs microseconds, and every poll needs this.
    let milliseconds = (self / .milliseconds(1)).rounded(.up)
    return Int(min(max(milliseconds, Double(Int32.min)), Double(Int32.max - 1)))
  }
}
