/// Ways to split an input into pieces as a socket could deliver it, deterministic for each input.
enum Splits {
  /// The lengths of the pieces: all at once, byte by byte, and two irregular splits that depend on the bytes.
  static func all(_ bytes: [UInt8]) -> [[Int]] {
    let whole = [bytes.count]
    guard bytes.count > 1 else { return [whole] }
    return [whole, Array(repeating: 1, count: bytes.count), irregular(bytes, upTo: 4), irregular(bytes, upTo: 64)]
  }

  private static func irregular(_ bytes: [UInt8], upTo limit: UInt64) -> [Int] {
    var state = bytes.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } &+ limit
    var lengths: [Int] = []
    var left = bytes.count
    while left > 0 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let length = min(Int((state >> 33) % limit) + 1, left)
      lengths.append(length)
      left -= length
    }
    return lengths
  }
}
