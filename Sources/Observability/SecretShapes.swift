/// Looks of values that are secrets whoever they belong to.
struct SecretShapes: OptionSet, Sendable {
  let rawValue: Int

  /// An email address.
  static let email = SecretShapes(rawValue: 1)
  /// A phone number in international form: `+` and 8 to 15 digits, with or without separators.
  static let phone = SecretShapes(rawValue: 2)
  /// A JSON web token, whole.
  static let webToken = SecretShapes(rawValue: 4)
  /// 43 characters of base64url or more: 32 random bytes.
  static let longToken = SecretShapes(rawValue: 8)
  /// The value of a telling name: `token=…`, `"refresh_token":"…"`, `Bearer …`.
  static let assignment = SecretShapes(rawValue: 16)
  /// All of them.
  static let all: SecretShapes = [.email, .phone, .webToken, .longToken, .assignment]

  /// The places of such looks in a view, as ranges of its source.
  func spans(in view: DecodedView, context: MaskContext) -> [SecretSpan] {
    let bytes = view.bytes
    var found: [(range: Range<Int>, kind: SecretKind)] = []
    if !isDisjoint(with: [.webToken, .longToken]) { found += tokens(in: bytes) }
    if contains(.email) { found += Self.emails(in: bytes) }
    if contains(.phone) { found += Self.phones(in: bytes) }
    if contains(.assignment) { found += SecretAssignments.spans(in: bytes, context: context) }
    return found.map { match in
      SecretSpan(
        range: view.source(of: match.range), kind: match.kind, value: String(decoding: bytes[match.range], as: UTF8.self),
        isKnown: false)
    }
  }

  /// Web tokens and long runs of base64url.
  private func tokens(in bytes: [UInt8]) -> [(range: Range<Int>, kind: SecretKind)] {
    var found: [(range: Range<Int>, kind: SecretKind)] = []
    var index = 0
    while index < bytes.count {
      guard Self.isBase64URL(bytes[index]) else {
        index += 1
        continue
      }
      let start = index
      index = Self.end(of: start, in: bytes, while: Self.isBase64URL)
      if contains(.webToken), bytes[start..<index].starts(with: "eyJ".utf8) {
        var end = index
        for _ in 0..<4 where end + 1 < bytes.count && bytes[end] == UInt8(ascii: ".") && Self.isBase64URL(bytes[end + 1]) {
          end = Self.end(of: end + 1, in: bytes, while: Self.isBase64URL)
        }
        if end > index || index - start >= 20 {
          found.append((start..<end, .token))
          index = end
          continue
        }
      }
      if contains(.longToken), index - start >= 43, Self.looksRandom(bytes[start..<index]) {
        found.append((start..<index, .token))
      }
    }
    return found
  }

  /// Whether a long word mixes cases, or letters and digits without separators; a long name in words does neither.
  private static func looksRandom(_ word: ArraySlice<UInt8>) -> Bool {
    let hasUpper = word.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    let hasLower = word.contains { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    let hasDigit = word.contains { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    return hasUpper && hasLower || hasDigit && word.allSatisfy(isAlphanumeric)
  }

  /// Words on both sides of an `@` with a point in the second.
  private static func emails(in bytes: [UInt8]) -> [(range: Range<Int>, kind: SecretKind)] {
    bytes.indices.filter { bytes[$0] == UInt8(ascii: "@") }.compactMap { sign in
      var start = sign
      while start > 0, isLocalPart(bytes[start - 1]) { start -= 1 }
      var end = self.end(of: sign + 1, in: bytes) {
        isAlphanumeric($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") || $0 >= 0x80
      }
      // A full stop after an address ends the sentence.
      while end > sign + 1, bytes[end - 1] == UInt8(ascii: ".") { end -= 1 }
      guard start < sign, bytes[(sign + 1)..<end].contains(UInt8(ascii: ".")) else { return nil }
      return (start..<end, .email)
    }
  }

  private static func phones(in bytes: [UInt8]) -> [(range: Range<Int>, kind: SecretKind)] {
    bytes.indices.filter { bytes[$0] == UInt8(ascii: "+") }.compactMap { sign in
      guard sign == 0 || !isAlphanumeric(bytes[sign - 1]), sign + 1 < bytes.count, isAlphanumeric(bytes[sign + 1]) else {
        return nil
      }
      var digits = 0
      var end = sign + 1
      var index = end
      while index < bytes.count {
        if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) {
          digits += 1
          end = index + 1
        } else if !" -.()/".utf8.contains(bytes[index]) || index - end >= 2 {
          break
        }
        index += 1
      }
      guard (8...15).contains(digits) else { return nil }
      return (sign..<end, .phone)
    }
  }

  /// The end of the run from `start` on whose bytes pass.
  static func end(of start: Int, in bytes: [UInt8], while passes: (UInt8) -> Bool) -> Int {
    var end = start
    while end < bytes.count, passes(bytes[end]) { end += 1 }
    return end
  }

  /// Whether a byte is an ASCII letter or digit.
  static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: false
    }
  }

  private static func isBase64URL(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }

  private static func isLocalPart(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || byte >= 0x80 || ".!#$%'*+-^_`{|}~".utf8.contains(byte)
  }
}
