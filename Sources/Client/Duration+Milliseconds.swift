extension Duration {
  /// The duration in milliseconds, with its fraction.
  var milliseconds: Double { self / .milliseconds(1) }

  /// Milliseconds, rounded up and held below `Int32.max`, as C timeouts want them.
  var wholeMilliseconds: Int {
    // By doubles: the 128 bits of its parts cost microseconds, and every poll asks.
    let milliseconds = (self / .milliseconds(1)).rounded(.up)
    return Int(min(max(milliseconds, Double(Int32.min)), Double(Int32.max - 1)))
  }
}
