import Text

/// Every parsed date can be formatted, and parses to the same instant again.
enum HTTPDateFuzzer {
  private static let first = Int64(-62_135_596_800)
  private static let last = Int64(253_402_300_799)

  /// Takes one input: as text, and its first eight bytes as an instant.
  static func run(_ bytes: [UInt8]) {
    let number = bytes.prefix(8).reduce(Int64(0)) { ($0 << 8) | Int64($1) }
    check(instant: number)
    check(instant: number % 400_000_000_000)
    let text = String(decoding: bytes, as: UTF8.self)
    for now in [Int64(0), 784_111_777, first, last, number] {
      guard let instant = HTTPDate.parse(text, now: now) else { continue }
      require((first...last).contains(instant), "\(text) is \(instant)")
      require(HTTPDate.parse(HTTPDate.format(instant)) == instant, "\(text): \(instant) is written \(HTTPDate.format(instant))")
    }
  }

  private static func check(instant: Int64) {
    let text = HTTPDate.format(instant)
    require(text.utf8.count == 29 && text.hasSuffix(" GMT"), "\(instant) is written \(text)")
    require(HTTPDate.parse(text) == min(max(instant, first), last), "\(instant) is written \(text)")
  }
}
