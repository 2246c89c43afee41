/// A text's bytes, or what they decode to, with the place in the text that each byte comes from.
struct DecodedView {
  /// The bytes of the view.
  let bytes: [UInt8]
  /// Where each byte's source begins; nil where view and source are the same.
  private let starts: [Int]?
  /// Where each byte's source ends; nil where view and source are the same.
  private let ends: [Int]?

  /// The text itself.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    starts = nil
    ends = nil
  }

  private init(bytes: [UInt8], starts: [Int], ends: [Int]) {
    self.bytes = bytes
    self.starts = starts
    self.ends = ends
  }

  /// The text and everything it decodes to by percent-decoding and JSON-unescaping, in any order, up to three times.
  static func all(of bytes: [UInt8]) -> [DecodedView] {
    var views = [DecodedView(bytes)]
    var latest = views
    for _ in 0..<3 {
      latest = latest.flatMap { [$0.percentDecoded(), $0.unescaped()].compactMap { $0 } }
      if latest.isEmpty { break }
      views += latest
    }
    return views
  }

  /// The bytes of the source that a range of the view stands for.
  func source(of range: Range<Int>) -> Range<Int> {
    guard let starts, let ends, !range.isEmpty else { return range }
    return starts[range.lowerBound]..<ends[range.upperBound - 1]
  }

  /// The view with `%XX` as bytes (RFC 3986 §2.1); nil where there is none.
  func percentDecoded() -> DecodedView? {
    decoded(trigger: UInt8(ascii: "%")) { index in
      guard let high = Self.digit(at: index + 1, in: bytes), let low = Self.digit(at: index + 2, in: bytes) else { return nil }
      return ([high << 4 | low], 3)
    }
  }

  /// The view with JSON's escapes as characters; nil where there is none.
  private func unescaped() -> DecodedView? {
    decoded(trigger: UInt8(ascii: "\\")) { index in
      guard index + 1 < bytes.count else { return nil }
      switch bytes[index + 1] {
      case UInt8(ascii: "u"): return unicodeEscape(at: index)
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

  /// The code unit of a `\uXXXX` at a place.
  private func unit(at index: Int) -> UInt16? {
    guard index + 5 < bytes.count, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u") else { return nil }
    var unit: UInt16 = 0
    for place in 2...5 {
      guard let digit = Self.digit(at: index + place, in: bytes) else { return nil }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }

  /// The view with what `decode` makes of the sequences that begin with `trigger`; nil where it makes nothing.
  private func decoded(
    trigger: UInt8, _ decode: (_ index: Int) -> (bytes: [UInt8], length: Int)?
  ) -> DecodedView? {
    guard let first = bytes.firstIndex(of: trigger) else { return nil }
    var output = Array(bytes[..<first])
    var starts = (0..<first).map { source(of: $0..<($0 + 1)).lowerBound }
    var ends = (0..<first).map { source(of: $0..<($0 + 1)).upperBound }
    var changed = false
    var index = first
    while index < bytes.count {
      var piece: (bytes: [UInt8], length: Int) = ([bytes[index]], 1)
      if bytes[index] == trigger, let decoded = decode(index) {
        piece = decoded
        changed = true
      }
      let place = source(of: index..<(index + piece.length))
      output += piece.bytes
      starts += repeatElement(place.lowerBound, count: piece.bytes.count)
      ends += repeatElement(place.upperBound, count: piece.bytes.count)
      index += piece.length
    }
    return changed ? DecodedView(bytes: output, starts: starts, ends: ends) : nil
  }

  private static func digit(at index: Int, in bytes: [UInt8]) -> UInt8? {
    guard index < bytes.count else { return nil }
    switch bytes[index] {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): return bytes[index] - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): return bytes[index] - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): return bytes[index] - UInt8(ascii: "A") + 10
    default: return nil
    }
  }
}
