/// The SplitMix64 generator (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014), so that a run with
/// random faults can be repeated.
package struct SplitMix64: Hashable, Sendable {
  /// Where the sequence is.
  private(set) var state: UInt64

  /// Creates a generator with a seed.
  package init(seed: UInt64) { state = seed }

  /// Creates a generator that continues a sequence.
  init(state: UInt64) { self.state = state }

  /// The next number.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// The next number, in 0 ..< 1.
  package mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}
