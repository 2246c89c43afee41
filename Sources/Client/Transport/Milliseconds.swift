extension Duration {
  /// Milliseconds, rounded up and held below `Int32.max`, as C timeouts want them.
  var wholeMilliseconds: Int {
    let (seconds, attoseconds) = components
    guard seconds.magnitude < 2_000_000 else { return seconds < 0 ? Int(Int32.min) : Int(Int32.max) - 1 }
    let fraction = attoseconds / 1_000_000_000_000_000
    return Int(seconds) * 1000 + Int(fraction) + (attoseconds % 1_000_000_000_000_000 > 0 ? 1 : 0)
  }
}
