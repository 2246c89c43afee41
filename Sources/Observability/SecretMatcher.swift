/// Finds every known secret in a text in one pass, however many there are.
struct SecretMatcher: Sendable {
  private let needles: [SecretNeedle]
  /// The needles by their first four bytes in lower case.
  private let byPrefix: [UInt32: [Int]]
  /// One bit for a hash of each prefix, so that nearly every place in a text costs one look.
  private let prefixBits: [UInt64]

  /// A matcher for the given needles.
  init(_ needles: [SecretNeedle] = []) {
    self.needles = needles
    var byPrefix: [UInt32: [Int]] = [:]
    var bits = [UInt64](repeating: 0, count: 1024)
    for (index, needle) in needles.enumerated() {
      let prefix = Self.prefix(of: needle.bytes)
      byPrefix[prefix, default: []].append(index)
      bits[Self.word(prefix)] |= Self.bit(prefix)
    }
    self.byPrefix = byPrefix
    prefixBits = bits
  }

  private static func prefix(of bytes: [UInt8]) -> UInt32 {
    bytes.prefix(4).reduce(0) { $0 << 8 | UInt32(SecretNeedle.lowercased($1)) }
  }
  private static func word(_ prefix: UInt32) -> Int { Int((prefix &* 2_654_435_761) >> 22) }
  private static func bit(_ prefix: UInt32) -> UInt64 { 1 << UInt64((prefix &* 2_654_435_761) >> 16 & 63) }

  /// The places of secrets in a view, as ranges of its source; overlapping ones are all given.
  func spans(in view: DecodedView, context: MaskContext) -> [SecretSpan] {
    guard !needles.isEmpty, view.bytes.count >= SecretNeedle.minimumLength else { return [] }
    var spans: [SecretSpan] = []
    var prefix = Self.prefix(of: Array(view.bytes.prefix(3)))
    for last in 3..<view.bytes.count {
      prefix = prefix << 8 | UInt32(SecretNeedle.lowercased(view.bytes[last]))
      guard prefixBits[Self.word(prefix)] & Self.bit(prefix) != 0, let candidates = byPrefix[prefix] else { continue }
      for candidate in candidates {
        guard let range = match(needles[candidate], at: last - 3, in: view.bytes, context: context) else { continue }
        spans.append(
          SecretSpan(range: view.source(of: range), kind: needles[candidate].kind, value: needles[candidate].value, isKnown: true)
        )
      }
    }
    return spans
  }

  /// The range of a needle that begins at a place; nil where it does not.
  private func match(_ needle: SecretNeedle, at start: Int, in bytes: [UInt8], context: MaskContext) -> Range<Int>? {
    guard needle.kind != .code || context == .authentication else { return nil }
    var end = start + needle.bytes.count
    guard end <= bytes.count else { return nil }
    for (place, byte) in needle.bytes.enumerated() {
      let other = bytes[start + place]
      guard other == byte || needle.ignoresCase && SecretNeedle.lowercased(other) == byte else { return nil }
    }
    if needle.isWholeToken {
      guard start == 0 || !Self.isWord(bytes[start - 1]), end == bytes.count || !Self.isWord(bytes[end]) else { return nil }
    }
    guard needle.isBase64 else { return start..<end }
    var start = start
    if start > 0, Self.isBase64(bytes[start - 1]) { start -= 1 }
    if end < bytes.count, Self.isBase64(bytes[end]) { end += 1 }
    return start..<end
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    SecretShapes.isAlphanumeric(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
  }
  private static func isBase64(_ byte: UInt8) -> Bool { SecretShapes.isAlphanumeric(byte) || "+/-_".utf8.contains(byte) }
}
