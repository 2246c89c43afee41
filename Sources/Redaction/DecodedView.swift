import Text

/// The bytes of a text, or of a decoded form of it, with the offset in the text for each byte.
struct DecodedView {
  /// The bytes of the view.
  let bytes: [UInt8]
  /// The start of each byte's source; nil if the view is the text itself.
  private let starts: [UInt32]?
  /// The end of each byte's source; nil if the view is the text itself.
  private let ends: [UInt32]?
  /// The offsets at which characters were removed, in order. A match that spans none of them is also found in another view.
  let gaps: [Int]

  /// Whether decoded views track offsets, which takes 8 bytes for each byte and requires a text under 4 GB.
  private let keepsOffsets: Bool

  /// The text itself.
  init(_ bytes: [UInt8], keepsOffsets: Bool = true, gaps: [Int] = []) {
    self.bytes = bytes
    self.keepsOffsets = keepsOffsets
    self.gaps = gaps
    starts = nil
    ends = nil
  }

  /// A decoded form with the offsets of its bytes.
  init(bytes: [UInt8], starts: [UInt32], ends: [UInt32], gaps: [Int] = []) {
    self.bytes = bytes
    self.starts = starts
    self.ends = ends
    self.gaps = gaps
    keepsOffsets = true
  }

  /// The maximum depth of repeated decoding.
  private static let maximumDecodings = 3

  /// The text and everything it decodes to by percent-decoding, JSON unescaping and HTML character references (once), in any
  /// order, up to three times; each also without line breaks and without separators between digits. In addition, the text itself
  /// without spaces between its characters, with repeatedly encoded percents decoded, and as quoted-printable.
  static func all(of bytes: [UInt8], forms: SecretForms = .all) -> [DecodedView] {
    var views: [DecodedView] = []
    _ = contains(in: bytes, forms: forms, keepsOffsets: true) { view in
      views.append(view)
      return false
    }
    return views
  }

  /// Whether any view of a text passes. Keeps only one branch of views in memory, because the text may be large.
  static func contains(
    in bytes: [UInt8], forms: SecretForms = .all, keepsOffsets: Bool = false, where passes: (DecodedView) -> Bool
  ) -> Bool {
    let limit = forms.contains(.repeated) ? maximumDecodings : 1
    func search(_ view: DecodedView, _ decodings: Int, _ forms: SecretForms) -> Bool {
      if passes(view) { return true }
      if forms.contains(.lines), let joined = view.withoutLineBreaks(), passes(joined) { return true }
      if forms.contains(.groups), let joined = view.withoutDigitSeparators(), passes(joined) { return true }
      guard decodings < limit else { return false }
      if forms.contains(.percent), let decoded = view.percentDecoded(), search(decoded, decodings + 1, forms) { return true }
      if forms.contains(.escapes), let decoded = view.unescaped(), search(decoded, decodings + 1, forms) { return true }
      if forms.contains(.references), let decoded = view.unreferenced() {
        return search(decoded, decodings + 1, forms.subtracting(.references))
      }
      return false
    }
    let text = DecodedView(bytes, keepsOffsets: keepsOffsets)
    if search(text, 0, forms) { return true }
    // Rare forms are searched only in the text itself, so that a hostile text costs little more.
    if forms.contains(.spaced), let joined = text.withoutSpacing(), passes(joined) { return true }
    if forms.contains(.repeated), forms.contains(.percent), let decoded = text.percentDecodedThroughPercents(), passes(decoded) {
      return true
    }
    guard forms.contains(.quotedPrintable), let decoded = text.withoutQuotedPrintable() else { return false }
    return search(decoded, limit, forms)
  }

  /// The range of the text that a range of the view comes from.
  func source(of range: Range<Int>) -> Range<Int> {
    guard let starts, let ends, !range.isEmpty else { return range }
    return Int(starts[range.lowerBound])..<Int(ends[range.upperBound - 1])
  }

  /// The view with `%XX` decoded (RFC 3986 §2.1); nil if there is none.
  func percentDecoded() -> DecodedView? {
    decoded(trigger: UInt8(ascii: "%")) { index in
      guard let high = Self.digit(at: index + 1, in: bytes), let low = Self.digit(at: index + 2, in: bytes) else { return nil }
      return ([high << 4 | low], 3)
    }
  }

  /// The view with `%XX` decoded, however often its `%` was encoded in turn (`%252541`); nil if there is none.
  private func percentDecodedThroughPercents() -> DecodedView? {
    decoded(trigger: UInt8(ascii: "%")) { index in
      var end = index + 1
      while end + 1 < bytes.count, bytes[end] == UInt8(ascii: "2"), bytes[end + 1] == UInt8(ascii: "5") { end += 2 }
      if let high = Self.digit(at: end, in: bytes), let low = Self.digit(at: end + 1, in: bytes) {
        return ([high << 4 | low], end + 2 - index)
      }
      return end > index + 1 ? ([UInt8(ascii: "%")], end - index) : nil
    }
  }

  /// The view with `=XX` decoded if it is a visible character (RFC 2045 §6.7); nil if there is none.
  private func withoutQuotedPrintable() -> DecodedView? {
    decoded(trigger: UInt8(ascii: "=")) { index in
      guard index + 2 < bytes.count, Self.isQuotedPrintable(bytes[index + 1], bytes[index + 2]),
        let high = Self.digit(at: index + 1, in: bytes), let low = Self.digit(at: index + 2, in: bytes)
      else { return nil }
      return ([high << 4 | low], 3)
    }
  }

  /// Whether `=` and these two characters stand for a visible character of ASCII.
  static func isQuotedPrintable(_ high: UInt8, _ low: UInt8) -> Bool {
    (UInt8(ascii: "2")...UInt8(ascii: "7")).contains(high)
      && (ASCII.isDigit(low) || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(low))
  }

  /// The view with HTML's numeric references and common named references decoded; nil if there are none.
  private func unreferenced() -> DecodedView? {
    decoded(trigger: UInt8(ascii: "&")) { index in
      let end = min(index + Self.longestReference, bytes.count)
      guard let semicolon = bytes[index..<end].firstIndex(of: UInt8(ascii: ";")) else { return nil }
      let name = bytes[(index + 1)..<semicolon]
      guard let character = Self.named[Array(name)] ?? Self.numbered(name) else { return nil }
      return (character, semicolon + 1 - index)
    }
  }

  /// The length of `&#x0010ffff;` plus a few leading zeros.
  private static let longestReference = 16
  private static let named = [[UInt8]: [UInt8]](
    uniqueKeysWithValues: [
      ("amp", "&"), ("lt", "<"), ("gt", ">"), ("quot", "\""), ("apos", "'"), ("commat", "@"), ("plus", "+"), ("period", "."),
      ("sol", "/"), ("colon", ":"), ("equals", "="), ("num", "#"), ("lowbar", "_"), ("nbsp", " "),
    ].map { (Array($0.0.utf8), Array($0.1.utf8)) })

  /// The character of a numeric reference such as `#64` or `#x40`.
  private static func numbered(_ name: ArraySlice<UInt8>) -> [UInt8]? {
    guard name.first == UInt8(ascii: "#") else { return nil }
    let isHexadecimal = name.dropFirst().first.map(ASCII.lowercased) == UInt8(ascii: "x")
    var value: UInt32 = 0
    let digits = name.dropFirst(isHexadecimal ? 2 : 1)
    for byte in digits {
      guard let digit = Hex.value(of: byte), isHexadecimal || digit < 10, value < 0x11_0000 else { return nil }
      value = value * (isHexadecimal ? 16 : 10) + UInt32(digit)
    }
    guard !digits.isEmpty, let scalar = Unicode.Scalar(value) else { return nil }
    return Array(String(Character(scalar)).utf8)
  }

  /// The view with JSON escapes decoded; nil if there are none.
  private func unescaped() -> DecodedView? {
    decoded(trigger: UInt8(ascii: "\\")) { index in
      guard index + 1 < bytes.count else { return nil }
      switch bytes[index + 1] {
      case UInt8(ascii: "u"): return unicodeEscape(at: index)
      case UInt8(ascii: "x"):
        guard let high = Self.digit(at: index + 2, in: bytes), let low = Self.digit(at: index + 3, in: bytes) else { return nil }
        return ([high << 4 | low], 4)
      case UInt8(ascii: "n"): return ([0x0a], 2)
      case UInt8(ascii: "r"): return ([0x0d], 2)
      case UInt8(ascii: "t"): return ([0x09], 2)
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return ([bytes[index + 1]], 2)
      default: return nil
      }
    }
  }

  private func unicodeEscape(at index: Int) -> (bytes: [UInt8], length: Int)? {
    guard let first = unit(at: index) else { return nil }
    if UTF16.isLeadSurrogate(first), let second = unit(at: index + 6), UTF16.isTrailSurrogate(second) {
      return (Array(String(decoding: [first, second], as: UTF16.self).utf8), 12)
    }
    return (Array(String(decoding: [first], as: UTF16.self).utf8), 6)
  }

  /// The code unit of the `\uXXXX` at an offset.
  private func unit(at index: Int) -> UInt16? {
    guard index + 5 < bytes.count, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u") else { return nil }
    var unit: UInt16 = 0
    for place in 2...5 {
      guard let digit = Self.digit(at: index + place, in: bytes) else { return nil }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }

  /// The view with the results of `decode` for the sequences that begin with `trigger`; nil if nothing is decoded.
  private func decoded(
    trigger: UInt8, _ decode: (_ index: Int) -> (bytes: [UInt8], length: Int)?
  ) -> DecodedView? {
    guard let first = bytes.firstIndex(of: trigger) else { return nil }
    var output = Array(bytes[..<first])
    var starts = keepsOffsets ? (0..<first).map { UInt32(truncatingIfNeeded: source(of: $0..<($0 + 1)).lowerBound) } : []
    var ends = keepsOffsets ? (0..<first).map { UInt32(truncatingIfNeeded: source(of: $0..<($0 + 1)).upperBound) } : []
    var changed = false
    var index = first
    while index < bytes.count {
      var length = 1
      let start = output.count
      if bytes[index] == trigger, let decoded = decode(index) {
        output += decoded.bytes
        length = decoded.length
        changed = true
      } else {
        output.append(bytes[index])
      }
      if keepsOffsets {
        let place = source(of: index..<(index + length))
        starts += repeatElement(UInt32(truncatingIfNeeded: place.lowerBound), count: output.count - start)
        ends += repeatElement(UInt32(truncatingIfNeeded: place.upperBound), count: output.count - start)
      }
      index += length
    }
    guard changed else { return nil }
    return keepsOffsets ? DecodedView(bytes: output, starts: starts, ends: ends) : DecodedView(output, keepsOffsets: false)
  }

  private static func digit(at index: Int, in bytes: [UInt8]) -> UInt8? {
    index < bytes.count ? Hex.value(of: bytes[index]) : nil
  }
}

extension DecodedView {
  /// The view without line breaks inside words, for wrapped text; nil if there are none.
  ///
  /// Also removes the whitespace around a break, a `=` before it (RFC 2045 §6.7), and invisible characters.
  private func withoutLineBreaks() -> DecodedView? {
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
      guard ASCII.isDigit(bytes[index]) else {
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
      if end > index, end < bytes.count, ASCII.isDigit(bytes[end]) { removed.append(index..<end) }
      index = end
    }
    return without(removed)
  }

  /// The number of characters or pairs in a row that count as spaced rather than as words.
  static let leastSpaced = 6

  /// The view without the separators in `a n n @ …`, `61:6e:6e:…` and `0x61, 0x6e, …`; nil if there are none.
  private func withoutSpacing() -> DecodedView? {
    var removed: [Range<Int>] = []
    var index = 0
    while index < bytes.count {
      let start = index
      for spacing in Spacing.allCases where index == start && (start == 0 || !ASCII.isAlphanumeric(bytes[start - 1])) {
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

  /// The kind of spaced text.
  private enum Spacing: CaseIterable {
    /// Single characters with a space between them.
    case characters
    /// Pairs of hexadecimal digits, also after `0x`, with one or two separators between them.
    case pairs

    /// The end of the character or pair at an offset; nil if there is none, or it is part of a longer word.
    func end(at index: Int, in bytes: [UInt8]) -> Int? {
      switch self {
      case .characters:
        guard index < bytes.count, (0x21...0x7e).contains(bytes[index]) else { return nil }
        return index + 1 == bytes.count || !ASCII.isAlphanumeric(bytes[index + 1]) ? index + 1 : nil
      case .pairs:
        let end = digits(at: index, in: bytes) + 2
        guard end <= bytes.count, ASCII.isHexadecimal(bytes[end - 2]), ASCII.isHexadecimal(bytes[end - 1]) else {
          return nil
        }
        return end == bytes.count || !ASCII.isAlphanumeric(bytes[end]) ? end : nil
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

    /// The start of a pair's digits, after `0x`.
    func digits(at index: Int, in bytes: [UInt8]) -> Int {
      self == .pairs && index + 1 < bytes.count && bytes[index] == UInt8(ascii: "0")
        && bytes[index + 1] | 0x20 == UInt8(ascii: "x")
        ? index + 2 : index
    }
  }

  /// Whether a range spans a position where characters were removed.
  func spansGap(_ range: Range<Int>) -> Bool {
    var low = 0
    var high = gaps.count
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
    var starts: [UInt32] = []
    var ends: [UInt32] = []
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

  /// Spaces and hyphens used within numbers, in addition to those of ASCII.
  private static let separators = [
    "\u{a0}", "\u{b7}", "\u{2007}", "\u{2009}", "\u{200a}", "\u{202f}", "\u{2010}", "\u{2011}", "\u{2012}", "\u{2013}",
    "\u{2014}",
  ].map { Array($0.utf8) }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  private static func isInWord(_ byte: UInt8) -> Bool {
    ASCII.isAlphanumeric(byte) || byte >= 0x80 || "+/=-_.@%~!$*&?#:".utf8.contains(byte)
  }
}
