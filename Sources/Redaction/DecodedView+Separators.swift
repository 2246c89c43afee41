extension DecodedView {
  /// The view without line breaks inside words, for wrapped text; nil if there are none.
  ///
  /// Also removes the whitespace around a break, a `=` before it (RFC 2045 §6.7), and invisible characters.
  func withoutLineBreaks() -> DecodedView? {
    var removed: [Range<Int>] = []
    var index = 0
    while index < bytes.count {
      let length = Self.breakLength(at: index, in: bytes)
      guard length > 0 else {
        index += 1
        continue
      }
      var start = index
      while start > 0, Self.isBlank(bytes[start - 1]) { start -= 1 }
      if start > 1, bytes[start - 1] == UInt8(ascii: "="), bytes[index] <= 0x0d { start -= 1 }
      index += length
      while index < bytes.count {
        let length = Self.isBlank(bytes[index]) ? 1 : Self.breakLength(at: index, in: bytes)
        if length == 0 { break }
        index += length
      }
      guard start > 0, index < bytes.count, Self.isInWord(bytes[start - 1]), Self.isInWord(bytes[index]) else { continue }
      removed.append(start..<index)
    }
    return without(removed)
  }

  /// The view without separators between digits, as in `123 456` and `+49 (170) 123-45`; nil if there are none.
  func withoutDigitSeparators() -> DecodedView? {
    var removed: [Range<Int>] = []
    var index = 0
    while index < bytes.count {
      guard SecretShapes.isDigit(bytes[index]) else {
        index += 1
        continue
      }
      index += 1
      var end = index
      var count = 0
      while count < 3, end < bytes.count {
        let length = Self.separatorLength(at: end, in: bytes)
        if length == 0 { break }
        end += length
        count += 1
      }
      if end > index, end < bytes.count, SecretShapes.isDigit(bytes[end]) { removed.append(index..<end) }
      index = end
    }
    return without(removed)
  }

  /// How many characters or pairs in a row are spaced rather than words.
  static let leastSpaced = 6

  /// The view without the separators in `a n n @ …`, `61:6e:6e:…` and `0x61, 0x6e, …`; nil if there are none.
  func withoutSpacing() -> DecodedView? {
    var removed: [Range<Int>] = []
    var index = 0
    while index < bytes.count {
      let start = index
      for spacing in Spacing.allCases where index == start && (start == 0 || !SecretShapes.isAlphanumeric(bytes[start - 1])) {
        let kept = removed.count
        guard var end = spacing.end(at: start, in: bytes) else { continue }
        while let next = spacing.next(after: end, in: bytes), let last = spacing.end(at: next, in: bytes) {
          removed.append(end..<spacing.digits(at: next, in: bytes))
          end = last
        }
        guard removed.count - kept + 1 >= Self.leastSpaced else {
          removed.removeSubrange(kept...)
          continue
        }
        index = end
      }
      if index == start { index += 1 }
    }
    return without(removed)
  }

  /// What is spaced.
  private enum Spacing: CaseIterable {
    /// Single characters with a space between them.
    case characters
    /// Pairs of hexadecimal digits, also after `0x`, with one or two separators between them.
    case pairs

    /// The end of the character or pair at an offset; nil if there is none, or it is part of something longer.
    func end(at index: Int, in bytes: [UInt8]) -> Int? {
      switch self {
      case .characters:
        guard index < bytes.count, (0x21...0x7e).contains(bytes[index]) else { return nil }
        return index + 1 == bytes.count || !SecretShapes.isAlphanumeric(bytes[index + 1]) ? index + 1 : nil
      case .pairs:
        let end = digits(at: index, in: bytes) + 2
        guard end <= bytes.count, SecretShapes.isHexadecimal(bytes[end - 2]), SecretShapes.isHexadecimal(bytes[end - 1]) else {
          return nil
        }
        return end == bytes.count || !SecretShapes.isAlphanumeric(bytes[end]) ? end : nil
      }
    }

    /// Where the next character or pair begins; nil if no separator follows.
    func next(after end: Int, in bytes: [UInt8]) -> Int? {
      switch self {
      case .characters: return end < bytes.count && bytes[end] == UInt8(ascii: " ") ? end + 1 : nil
      case .pairs:
        var next = end
        while next < min(end + 2, bytes.count), " :-,._".utf8.contains(bytes[next]) { next += 1 }
        return next > end ? next : nil
      }
    }

    /// Where the digits of a pair begin, behind `0x`.
    func digits(at index: Int, in bytes: [UInt8]) -> Int {
      self == .pairs && index + 1 < bytes.count && bytes[index] == UInt8(ascii: "0")
        && bytes[index + 1] | 0x20 == UInt8(ascii: "x")
        ? index + 2 : index
    }
  }

  /// Whether a range spans a position where characters were removed.
  func spansGap(_ range: Range<Int>) -> Bool {
    var (low, high) = (0, gaps.count)
    while low < high {
      let middle = (low + high) / 2
      if gaps[middle] <= range.lowerBound { low = middle + 1 } else { high = middle }
    }
    return low < gaps.count && gaps[low] < range.upperBound
  }

  /// Whether characters were removed before an offset.
  func hasGap(at place: Int) -> Bool { spansGap((place - 1)..<(place + 1)) }

  private func without(_ removed: [Range<Int>]) -> DecodedView? {
    guard !removed.isEmpty else { return nil }
    var kept: [UInt8] = []
    var (starts, ends): ([UInt32], [UInt32]) = ([], [])
    var gaps: [Int] = []
    kept.reserveCapacity(bytes.count)
    func keep(_ range: Range<Int>) {
      kept += bytes[range]
      guard keepsOffsets else { return }
      for place in range {
        let source = source(of: place..<(place + 1))
        starts.append(UInt32(truncatingIfNeeded: source.lowerBound))
        ends.append(UInt32(truncatingIfNeeded: source.upperBound))
      }
    }
    var cursor = 0
    for gap in removed {
      keep(cursor..<gap.lowerBound)
      gaps.append(kept.count)
      cursor = gap.upperBound
    }
    keep(cursor..<bytes.count)
    return keepsOffsets
      ? DecodedView(bytes: kept, starts: starts, ends: ends, gaps: gaps)
      : DecodedView(kept, keepsOffsets: false, gaps: gaps)
  }

  /// The length of a line break or an invisible character at an offset; 0 if there is none.
  private static func breakLength(at index: Int, in bytes: [UInt8]) -> Int {
    switch bytes[index] {
    case 0x0a...0x0d: 1
    case 0xc2, 0xe2, 0xef: invisible.first { bytes[index...].starts(with: $0) }?.count ?? 0
    default: 0
    }
  }

  /// Next line, soft hyphen, zero-width space, joiners, line and paragraph separators, word joiner, byte order mark.
  private static let invisible = [
    "\u{85}", "\u{ad}", "\u{200b}", "\u{200c}", "\u{200d}", "\u{2028}", "\u{2029}", "\u{2060}", "\u{feff}",
  ].map { Array($0.utf8) }

  private static func separatorLength(at index: Int, in bytes: [UInt8]) -> Int {
    switch bytes[index] {
    case UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "/"): 1
    case 0xc2, 0xe2: separators.first { bytes[index...].starts(with: $0) }?.count ?? 0
    default: 0
    }
  }

  /// Spaces and hyphens used within numbers, besides those of ASCII.
  private static let separators = [
    "\u{a0}", "\u{b7}", "\u{2007}", "\u{2009}", "\u{200a}", "\u{202f}", "\u{2010}", "\u{2011}", "\u{2012}", "\u{2013}",
    "\u{2014}",
  ].map { Array($0.utf8) }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  private static func isInWord(_ byte: UInt8) -> Bool {
    SecretShapes.isAlphanumeric(byte) || byte >= 0x80 || "+/=-_.@%~!$*&?#:".utf8.contains(byte)
  }
}
