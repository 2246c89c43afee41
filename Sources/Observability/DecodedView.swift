/// A text's bytes, or what they decode to, with the place in the text that each byte comes from.
struct DecodedView {
  /// The bytes of the view.
  let bytes: [UInt8]
  /// Where each byte's source begins; nil where view and source are the same.
  private let starts: [Int]?
  /// Where each byte's source ends; nil where view and source are the same.
  private let ends: [Int]?

  /// Whether what it decodes to keeps the places, at 16 bytes each.
  private let keepsPlaces: Bool

  /// The text itself.
  init(_ bytes: [UInt8], keepsPlaces: Bool = true) {
    self.bytes = bytes
    self.keepsPlaces = keepsPlaces
    starts = nil
    ends = nil
  }

  private init(bytes: [UInt8], starts: [Int], ends: [Int]) {
    self.bytes = bytes
    self.starts = starts
    self.ends = ends
    keepsPlaces = true
  }

  /// How often a text is decoded in turn.
  private static let maximumDecodings = 3

  /// The text and everything it decodes to by percent-decoding and JSON-unescaping, in any order, up to three times.
  static func all(of bytes: [UInt8]) -> [DecodedView] {
    var views = [DecodedView(bytes)]
    var latest = views
    for _ in 0..<maximumDecodings {
      latest = latest.flatMap { [$0.percentDecoded(), $0.unescaped()].compactMap { $0 } }
      if latest.isEmpty { break }
      views += latest
    }
    return views
  }

  /// Whether any view of a text, which may be large, passes; a branch of views is held at a time, and no places.
  static func contains(in bytes: [UInt8], where passes: (DecodedView) -> Bool) -> Bool {
    func search(_ view: DecodedView, _ decodings: Int) -> Bool {
      if passes(view) { return true }
      guard decodings < maximumDecodings else { return false }
      if let decoded = view.percentDecoded(), search(decoded, decodings + 1) { return true }
      if let decoded = view.unescaped(), search(decoded, decodings + 1) { return true }
      return false
    }
    return search(DecodedView(bytes, keepsPlaces: false), 0)
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
    var starts = keepsPlaces ? (0..<first).map { source(of: $0..<($0 + 1)).lowerBound } : []
    var ends = keepsPlaces ? (0..<first).map { source(of: $0..<($0 + 1)).upperBound } : []
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
      if keepsPlaces {
        let place = source(of: index..<(index + length))
        starts += repeatElement(place.lowerBound, count: output.count - start)
        ends += repeatElement(place.upperBound, count: output.count - start)
      }
      index += length
    }
    guard changed else { return nil }
    return keepsPlaces ? DecodedView(bytes: output, starts: starts, ends: ends) : DecodedView(output, keepsPlaces: false)
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
