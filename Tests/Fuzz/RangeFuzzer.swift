import Wire

/// Every value of `Range` selects disjoint parts within the representation that contain exactly what was requested.
enum RangeFuzzer {
  /// Takes one input as the field's value, once as sent and once behind the unit.
  static func run(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    for value in [text, "bytes=" + text] {
      guard let ranges = ByteRangeSet(value) else { continue }
      require(!ranges.specs.isEmpty, "no range in \(value)")
      for case .from(let first, let last?) in ranges.specs { require(first <= last, "\(value) runs backwards") }
      let number = bytes.prefix(7).reduce(0) { $0 << 8 | Int($1) }
      for length in [0, 1, 2, 10, 63, 1000, number, Int.max - 1, Int.max] { check(ranges, length, value) }
    }
  }

  private static func check(_ ranges: ByteRangeSet, _ length: Int, _ value: String) {
    guard case .parts(let parts) = ranges.selection(of: length) else {
      // Of at most 16 ranges that request something, a single one is always served.
      if ranges.specs.count == 1, (1...63).contains(length), (0..<length).contains(where: { isAsked($0, ranges, length) }) {
        require(ranges.selection(of: length) != .unsatisfiable, "\(value) of \(length) is unsatisfiable")
      }
      return
    }
    require(!parts.isEmpty && parts.count <= ByteRangeSet.maximumCount, "\(parts.count) parts")
    for (index, part) in parts.enumerated() {
      require(!part.isEmpty && part.lowerBound >= 0 && part.upperBound <= length, "\(part) of \(length)")
      for other in parts[(index + 1)...] {
        require(part.upperBound < other.lowerBound || other.upperBound < part.lowerBound, "\(part) meets \(other)")
      }
    }
    guard length <= 63 else { return }
    for offset in 0..<length {
      let isGiven = parts.contains { $0.contains(offset) }
      require(isGiven == isAsked(offset, ranges, length), "\(value) of \(length): byte \(offset) in \(parts)")
    }
  }

  private static func isAsked(_ offset: Int, _ ranges: ByteRangeSet, _ length: Int) -> Bool {
    ranges.specs.contains { spec in
      switch spec {
      case .from(let first, let last): UInt64(offset) >= first && UInt64(offset) <= last ?? .max
      case .suffix(let count): UInt64(length - offset) <= count
      }
    }
  }
}
