import Text

/// Finds all known secrets in a text in one pass.
package struct SecretMatcher: Sendable {
  private let patterns: [SecretSearchPattern]
  /// A Bloom filter of the patterns' first four bytes in lower case, so that nearly every position needs a single check.
  private let prefixBits: [UInt64]
  /// A hash table of those prefixes with open addressing; its size is a power of two.
  private let slots: [Slot]
  /// The places of patterns in `patterns`.
  private let candidates: [UInt32]

  /// A prefix and its range in `candidates`, which is empty for a free slot.
  private struct Slot {
    var prefix: UInt32 = 0
    var first: UInt32 = 0
    var end: UInt32 = 0

    var isFree: Bool { first == end }
    var range: Range<Int> { Int(first)..<Int(end) }
  }

  /// Creates a matcher for the patterns.
  init(_ patterns: [SecretSearchPattern] = []) {
    self.patterns = patterns
    var byPrefix: [UInt32: [UInt32]] = [:]
    for (place, pattern) in patterns.enumerated() {
      for prefix in pattern.prefixes { byPrefix[prefix, default: []].append(UInt32(place)) }
    }
    var bits = [UInt64](repeating: 0, count: 1024)
    var size = 64
    while size < byPrefix.count * 4 { size *= 2 }
    var slots = [Slot](repeating: Slot(), count: size)
    var candidates: [UInt32] = []
    candidates.reserveCapacity(byPrefix.values.reduce(0) { $0 + $1.count })
    for (prefix, found) in byPrefix {
      bits[Self.word(prefix)] |= Self.bit(prefix)
      var slot = Int(Self.hash(prefix)) & (size - 1)
      while !slots[slot].isFree { slot = (slot + 1) & (size - 1) }
      slots[slot] = Slot(prefix: prefix, first: UInt32(candidates.count), end: UInt32(candidates.count + found.count))
      candidates += found
    }
    prefixBits = bits
    self.slots = slots
    self.candidates = candidates
  }

  private static func hash(_ prefix: UInt32) -> UInt32 { (prefix &* 2_654_435_761) >> 8 }
  private static func word(_ prefix: UInt32) -> Int { Int((prefix &* 2_654_435_761) >> 22) }
  private static func bit(_ prefix: UInt32) -> UInt64 { 1 << UInt64((prefix &* 2_654_435_761) >> 16 & 63) }

  /// Whether a pattern may begin with these four lower-case bytes, first byte highest.
  @inline(__always)
  func mayBegin(with prefix: UInt32) -> Bool { prefixBits[Self.word(prefix)] & Self.bit(prefix) != 0 }

  /// Whether a pattern begins with these four bytes.
  func hasPattern(with prefix: UInt32) -> Bool { mayBegin(with: prefix) && !candidates(of: prefix).isEmpty }

  /// The patterns that begin with the prefix, as a range of `candidates`; empty if there are none.
  private func candidates(of prefix: UInt32) -> Range<Int> {
    var slot = Int(Self.hash(prefix)) & (slots.count - 1)
    while !slots[slot].isFree {
      if slots[slot].prefix == prefix { return slots[slot].range }
      slot = (slot + 1) & (slots.count - 1)
    }
    return 0..<0
  }

  /// Whether a pattern matches at an offset whose four bytes have this prefix.
  func begins(at start: Int, prefix: UInt32, in bytes: Span<UInt8>, context: MaskContext) -> Bool {
    for place in candidates(of: prefix) {
      if match(patterns[Int(candidates[place])], at: start, in: bytes, context: context, isEdge: { _ in false }) != nil {
        return true
      }
    }
    return false
  }

  /// The matches in a view, as ranges of its source; includes overlapping ones.
  func spans(in view: DecodedView, context: MaskContext) -> [SecretSpan] {
    let bytes = view.bytes.span
    guard !patterns.isEmpty, bytes.count >= SecretSearchPattern.minimumLength else { return [] }
    var spans: [SecretSpan] = []
    var prefix: UInt32 = 0
    for last in 0..<bytes.count {
      prefix = prefix << 8 | UInt32(ASCII.lowercased(bytes[last]))
      guard last >= 3, mayBegin(with: prefix) else { continue }
      for place in candidates(of: prefix) {
        let pattern = patterns[Int(candidates[place])]
        guard let range = match(pattern, at: last - 3, in: bytes, context: context, isEdge: view.hasGap(at:)),
          view.gaps.isEmpty || view.spansGap(range)
        else { continue }
        spans.append(SecretSpan(range: view.source(of: range), kind: pattern.kind, value: pattern.value, isKnown: true))
      }
    }
    return spans
  }

  /// The range of a match at an offset, of the whole pattern or of a sufficient beginning; nil if there is none. `isEdge` is true where
  /// words and numbers end.
  private func match(
    _ pattern: SecretSearchPattern, at start: Int, in bytes: Span<UInt8>, context: MaskContext, isEdge: (Int) -> Bool
  ) -> Range<Int>? {
    guard pattern.kind != .code || context == .authentication else { return nil }
    let limit = min(pattern.bytes.count, bytes.count - start)
    guard limit >= pattern.leastLength else { return nil }
    let length = Self.common(pattern, at: start, in: bytes, limit: limit)
    guard length >= pattern.leastLength else { return nil }
    let end = start + length
    // If a beginning continues differently, it belongs to another value.
    if length < pattern.bytes.count, end < bytes.count, Self.isWord(bytes[end]) { return nil }
    if pattern.isWholeToken {
      guard !Self.isWord(before: start, in: bytes) || isEdge(start) else { return nil }
      guard !Self.isWord(after: end, in: bytes) || isEdge(end) else { return nil }
    }
    if pattern.isWholeNumber {
      guard end == bytes.count || !ASCII.isDigit(bytes[end]) || isEdge(end) else { return nil }
      guard Self.beginsNumber(at: start, in: bytes, isEdge: isEdge) else { return nil }
    }
    guard pattern.isBase64 else { return start..<end }
    let first = start > 0 && Self.isBase64(bytes[start - 1]) ? start - 1 : start
    return first..<(end < bytes.count && Self.isBase64(bytes[end]) ? end + 1 : end)
  }

  /// The number of bytes at an offset that match the pattern.
  private static func common(_ pattern: SecretSearchPattern, at start: Int, in bytes: Span<UInt8>, limit: Int) -> Int {
    var length = 0
    if let folding = pattern.folding {
      while length < limit, folding.matches(bytes[start + length], pattern.bytes[length], at: length) { length += 1 }
      return length
    }
    while length < limit {
      let other = bytes[start + length]
      guard other == pattern.bytes[length] || pattern.ignoresCase && ASCII.lowercased(other) == pattern.bytes[length] else {
        break
      }
      length += 1
    }
    return length
  }

  /// Whether a number begins at an offset: no digit precedes it except a `00` in place of `+`.
  private static func beginsNumber(at start: Int, in bytes: Span<UInt8>, isEdge: (Int) -> Bool) -> Bool {
    func isDigit(before place: Int) -> Bool { place > 0 && ASCII.isDigit(bytes[place - 1]) && !isEdge(place) }
    guard isDigit(before: start) else { return true }
    return start >= 2 && bytes[start - 1] == UInt8(ascii: "0") && bytes[start - 2] == UInt8(ascii: "0")
      && !isDigit(before: start - 2)
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    ASCII.isAlphanumeric(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
  }
  /// Whether a character that continues words ends right before an offset.
  private static func isWord(before place: Int, in bytes: Span<UInt8>) -> Bool {
    guard place > 0 else { return false }
    var start = place - 1
    while start > 0, place - start < 4, bytes[start] & 0xc0 == 0x80 { start -= 1 }
    return isWord(scalarAt: start, in: bytes)
  }

  /// Whether a character that continues words begins at an offset.
  private static func isWord(after place: Int, in bytes: Span<UInt8>) -> Bool {
    place < bytes.count && isWord(scalarAt: place, in: bytes)
  }

  /// Whether words of any script continue with the character at an offset (a short form of UAX #29). Ideographs and Hiragana do
  /// not, because they are adjacent to names without a space. Invalid UTF-8 does not either.
  private static func isWord(scalarAt start: Int, in bytes: Span<UInt8>) -> Bool {
    let first = bytes[start]
    if first < 0x80 { return ASCII.isAlphanumeric(first) || first == UInt8(ascii: "_") }
    guard first >= 0xc2, first < 0xf5 else { return false }
    let length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
    guard start + length <= bytes.count else { return false }
    var value = UInt32(first & (0xff >> UInt8(length + 1)))
    for place in (start + 1)..<(start + length) {
      guard bytes[place] & 0xc0 == 0x80 else { return false }
      value = value << 6 | UInt32(bytes[place] & 0x3f)
    }
    guard let scalar = Unicode.Scalar(value), !scalar.properties.isIdeographic, !(0x3041...0x309f).contains(value) else {
      return false
    }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark, .spacingMark,
      .enclosingMark, .decimalNumber, .letterNumber, .otherNumber, .connectorPunctuation:
      return true
    default: return false
    }
  }
  private static func isBase64(_ byte: UInt8) -> Bool { ASCII.isAlphanumeric(byte) || "+/-_".utf8.contains(byte) }
}
