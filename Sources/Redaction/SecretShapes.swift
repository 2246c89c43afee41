import Text

/// The shapes of values that are always treated as secrets.
package struct SecretShapes: OptionSet, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// An email address.
  static let email = SecretShapes(rawValue: 1)
  /// A phone number in international form: `+` and 8 to 15 digits, with or without separators.
  static let phone = SecretShapes(rawValue: 2)
  /// A JSON Web Token, complete or truncated.
  static let webToken = SecretShapes(rawValue: 4)
  /// 43 or more base64url characters, which encode 32 random bytes.
  static let longToken = SecretShapes(rawValue: 8)
  /// The value after a telling name: `token=…`, `"refresh_token":"…"`.
  static let assignment = SecretShapes(rawValue: 16)
  /// The credentials after `Bearer`.
  static let bearer = SecretShapes(rawValue: 32)
  /// The credentials after `Basic`.
  static let basic = SecretShapes(rawValue: 64)
  /// The user name and password of a URL.
  static let userinfo = SecretShapes(rawValue: 128)
  /// A phone number in national form: `0170 1234567`, `(555) 123-4567`.
  private static let localPhone = SecretShapes(rawValue: 256)
  /// A payment card number: length and beginning of its brand, and a valid Luhn check digit.
  private static let card = SecretShapes(rawValue: 512)
  /// As long as `longToken`, in Base64 with `+` or `/`.
  static let base64 = SecretShapes(rawValue: 1024)
  /// Four to eight digits in a text of an authentication call that mentions a code.
  private static let codeInText = SecretShapes(rawValue: 2048)

  /// A token or key with the beginning that its issuer documents.
  static let issuer = SecretShapes(rawValue: 4096)
  /// A bank account number: IBAN with its check digits, in groups or not (ISO 13616).
  private static let iban = SecretShapes(rawValue: 8192)
  /// The segment after a telling one in an address, and its login code.
  static let link = SecretShapes(rawValue: 16384)

  /// All shapes with their names.
  static let named: [(name: String, shape: SecretShapes)] = [
    ("shape.email", .email), ("shape.phone", .phone), ("shape.web token", .webToken), ("shape.long token", .longToken),
    ("shape.assignment", .assignment), ("shape.bearer", .bearer), ("shape.basic", .basic), ("shape.userinfo", .userinfo),
    ("shape.local phone", .localPhone), ("shape.card", .card), ("shape.base64", .base64), ("shape.code in text", .codeInText),
    ("shape.issuer", .issuer), ("shape.iban", .iban), ("shape.link", .link),
  ]

  static let all = SecretShapes(named.map(\.shape))

  /// The matches in a view, as ranges of its source.
  func spans(in view: DecodedView, context: MaskContext, keys: SecretKeyRules) -> [SecretSpan] {
    let bytes = view.bytes
    var found: [(range: Range<Int>, kind: SecretKind)] = []
    if !isDisjoint(with: [.webToken, .longToken]) { found += tokens(in: bytes) }
    if contains(.issuer) { found += IssuerTokens.spans(in: bytes) }
    if contains(.base64) { found += Self.longBase64(in: bytes) }
    if contains(.email) { found += Self.emails(in: bytes) }
    if contains(.phone) { found += Self.phones(in: bytes) }
    if contains(.localPhone) { found += Self.localPhones(in: bytes) }
    if contains(.iban) { found += Self.ibans(in: bytes) }
    if contains(.link) { found += SecretLinks.spans(in: bytes) }
    if contains(.card) { found += Self.cards(in: bytes) }
    if contains(.codeInText) {
      found += context == .authentication ? Self.codes(in: bytes) : SecretSentences.codes(in: bytes)
    }
    if contains(.assignment) {
      found += SecretSentences.values(in: bytes, keys: keys, context: context)
      found += SecretMarkup.spans(in: bytes, keys: keys, context: context)
    }
    if !isDisjoint(with: [.assignment, .bearer, .basic, .userinfo]) {
      found += SecretAssignments(shapes: self, keys: keys, context: context).spans(in: bytes)
    }
    return found.map { match in
      SecretSpan(
        range: view.source(of: match.range), kind: match.kind, value: String(decoding: bytes[match.range], as: UTF8.self),
        isKnown: false)
    }
  }

  /// The end of the run of passing bytes that begins at `start`.
  static func end(of start: Int, in bytes: [UInt8], while passes: (UInt8) -> Bool) -> Int {
    var end = start
    while end < bytes.count, passes(bytes[end]) { end += 1 }
    return end
  }

  /// Whether a byte is a base64url digit.
  static func isBase64URL(_ byte: UInt8) -> Bool {
    ASCII.isAlphanumeric(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }

  /// Whether a byte may occur before the `@` of an email address.
  private static func isLocalPart(_ byte: UInt8) -> Bool {
    ASCII.isAlphanumeric(byte) || byte >= 0x80 || ".!#$%'*+-^_`{|}~".utf8.contains(byte)
  }
}

extension SecretShapes {
  /// `+` and 8 to 15 digits.
  private static func phones(in bytes: [UInt8]) -> [(range: Range<Int>, kind: SecretKind)] {
    bytes.indices.filter { bytes[$0] == UInt8(ascii: "+") }.compactMap { sign in
      guard sign == 0 || !ASCII.isAlphanumeric(bytes[sign - 1]), sign + 1 < bytes.count, ASCII.isAlphanumeric(bytes[sign + 1])
      else {
        return nil
      }
      var digits = 0
      var end = sign + 1
      var index = end
      while index < bytes.count {
        if ASCII.isDigit(bytes[index]) {
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

  /// Numbers that begin with `0` or `(`, have 9 to 14 digits and at least one separator, and are not part of a longer word.
  private static func localPhones(in bytes: [UInt8]) -> [(range: Range<Int>, kind: SecretKind)] {
    var found: [(range: Range<Int>, kind: SecretKind)] = []
    for start in bytes.indices where bytes[start] == UInt8(ascii: "0") || bytes[start] == UInt8(ascii: "(") {
      if start > 0, ASCII.isAlphanumeric(bytes[start - 1]) || "-_.".utf8.contains(bytes[start - 1]) { continue }
      let (digits, end, marks) = number(from: start, in: bytes, separators: " -()/", gap: 2)
      guard (9...14).contains(digits), marks > (bytes[start] == UInt8(ascii: "(") ? 1 : 0) else { continue }
      if end < bytes.count, ASCII.isAlphanumeric(bytes[end]) || bytes[end] == UInt8(ascii: "_") { continue }
      found.append((start..<end, .phone))
    }
    return found
  }

  /// Payment card numbers, with or without separators.
  private static func cards(in bytes: [UInt8]) -> [(range: Range<Int>, kind: SecretKind)] {
    var found: [(range: Range<Int>, kind: SecretKind)] = []
    for start in bytes.indices where ASCII.isDigit(bytes[start]) && (start == 0 || !ASCII.isAlphanumeric(bytes[start - 1])) {
      let (digits, end, _) = number(from: start, in: bytes, separators: " -", gap: 1)
      guard (13...19).contains(digits), end == bytes.count || !ASCII.isAlphanumeric(bytes[end]) else { continue }
      let values = bytes[start..<end].filter(ASCII.isDigit).map { Int($0 - UInt8(ascii: "0")) }
      if isCardLength(values), isChecked(values) { found.append((start..<end, .card)) }
    }
    return found
  }

  /// Two capital letters, two check digits and 11 to 30 capital letters and digits, also in groups of four.
  private static func ibans(in bytes: [UInt8]) -> [(range: Range<Int>, kind: SecretKind)] {
    var found: [(range: Range<Int>, kind: SecretKind)] = []
    var index = 0
    while index < bytes.count {
      guard ASCII.isAlphanumeric(bytes[index]) else {
        index += 1
        continue
      }
      let start = index
      index = end(of: start, in: bytes, while: ASCII.isAlphanumeric)
      guard beginsIBAN(bytes.span, at: start, until: index) else { continue }
      var last = index
      var digits = Array(bytes[start..<index])
      // Use the longest valid one, because one in 97 of its beginnings is valid too.
      var valid = isIBAN(digits) ? last : nil
      if index - start == 4 {
        // Groups of four, of which the last may be shorter.
        while last + 1 < bytes.count, bytes[last] == UInt8(ascii: " "), digits.count.isMultiple(of: 4), digits.count < 34 {
          let next = end(of: last + 1, in: bytes, while: ASCII.isAlphanumeric)
          guard (1...4).contains(next - last - 1) else { break }
          digits += bytes[(last + 1)..<next]
          last = next
          if isIBAN(digits) { valid = last }
        }
      }
      guard let valid else { continue }
      found.append((start..<valid, .identifier))
      index = valid
    }
    return found
  }

  /// Whether a word begins with two capital letters and two digits, and is a group of four or long enough for a whole IBAN.
  static func beginsIBAN(_ text: Span<UInt8>, at start: Int, until end: Int) -> Bool {
    func isCapital(_ byte: UInt8) -> Bool { ASCII.isUppercase(byte) }
    return (end - start == 4 || end - start >= 15) && isCapital(text[start]) && isCapital(text[start + 1])
      && ASCII.isDigit(text[start + 2]) && ASCII.isDigit(text[start + 3])
  }

  /// Whether the check digits are right (ISO 7064, MOD 97-10).
  private static func isIBAN(_ digits: [UInt8]) -> Bool {
    guard (15...34).contains(digits.count) else { return false }
    var rest = 0
    for digit in digits[4...] + digits[..<4] {
      switch digit {
      case _ where ASCII.isDigit(digit): rest = (rest * 10 + Int(digit - UInt8(ascii: "0"))) % 97
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): rest = (rest * 100 + Int(digit - UInt8(ascii: "A")) + 10) % 97
      default: return false
      }
    }
    return rest == 1
  }

  /// The digits from `start`, their end, and the number of separators among them; at most `gap` separators in a row. No card or phone
  /// number has more than 19 digits, so they end there, and a text of numbers takes linear time.
  private static func number(
    from start: Int, in bytes: [UInt8], separators: String, gap: Int
  ) -> (digits: Int, end: Int, marks: Int) {
    var digits = 0
    var end = start
    var marks = 0
    var pending = 0
    var index = start
    while index < bytes.count, digits < 20 {
      if ASCII.isDigit(bytes[index]) {
        digits += 1
        marks += pending
        pending = 0
        end = index + 1
      } else if separators.utf8.contains(bytes[index]), pending < gap {
        pending += 1
      } else {
        break
      }
      index += 1
    }
    return (digits, end, marks)
  }

  /// Whether a card brand uses numbers with this length and beginning.
  private static func isCardLength(_ digits: [Int]) -> Bool {
    let four = digits.prefix(4).reduce(0) { $0 * 10 + $1 }
    return switch (digits.count, four) {
    case (13, 4000...4999), (16, 4000...4999), (19, 4000...4999): true
    case (16, 5100...5599), (16, 2221...2720), (16, 6011), (16, 6440...6599), (16, 3528...3589): true
    case (15, 3400...3499), (15, 3700...3799), (14, 3000...3059), (14, 3600...3699), (14, 3800...3899): true
    default: false
    }
  }

  /// The Luhn check (ISO/IEC 7812-1, annex B).
  private static func isChecked(_ digits: [Int]) -> Bool {
    let sum = digits.reversed().enumerated().reduce(0) { sum, place in
      let doubled = place.element * 2
      return sum + (place.offset.isMultiple(of: 2) ? place.element : doubled > 9 ? doubled - 9 : doubled)
    }
    return sum.isMultiple(of: 10)
  }

  private static let codeWords = ["code", "otp", "pin", "passcode"].map { Array($0.utf8) }

  /// Words of four to eight digits, possibly in groups of at least two, in a text that mentions a code.
  private static func codes(in bytes: [UInt8]) -> [(range: Range<Int>, kind: SecretKind)] {
    let (words, speaksOfCode) = digits(in: bytes)
    return speaksOfCode || SecretSentences.speaksOfCode(bytes) ? words.map { ($0, .code) } : []
  }

  /// Words of four to eight digits, possibly in groups of at least two, and whether the text mentions a code.
  static func digits(in bytes: [UInt8]) -> (words: [Range<Int>], speaksOfCode: Bool) {
    var words: [Range<Int>] = []
    var groups: [Range<Int>] = []
    var speaksOfCode = false
    var index = 0
    /// Ends the current sequence of digit groups.
    func end() {
      if let first = groups.first, let last = groups.last, groups.count > 1 {
        if (4...8).contains(groups.reduce(0) { $0 + $1.count }) { words.append(first.lowerBound..<last.upperBound) }
      }
      groups = []
    }
    while index < bytes.count {
      guard ASCII.isAlphanumeric(bytes[index]) else {
        index += 1
        continue
      }
      let start = index
      index = self.end(of: start, in: bytes, while: ASCII.isAlphanumeric)
      let word = bytes[start..<index]
      if SecretKeyRules.isCode(word) { words.append(start..<index) }
      if word.count <= 8, codeWords.contains(word.map(ASCII.lowercased)) { speaksOfCode = true }
      let isNext = groups.last.map { start == $0.upperBound + 1 && " -".utf8.contains(bytes[start - 1]) } ?? false
      if !isNext { end() }
      if (2...4).contains(word.count), word.allSatisfy(ASCII.isDigit) { groups.append(start..<index) } else { end() }
    }
    end()
    return (words, speaksOfCode)
  }
}

extension SecretShapes {
  /// JSON Web Tokens and long base64url strings.
  func tokens(in bytes: [UInt8]) -> [(range: Range<Int>, kind: SecretKind)] {
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

  /// Whether a long word mixes cases, or letters and digits, without separators, unlike a long name.
  private static func looksRandom(_ word: ArraySlice<UInt8>) -> Bool {
    let hasUpper = word.contains { ASCII.isUppercase($0) }
    let hasLower = word.contains { ASCII.isLowercase($0) }
    let hasDigit = word.contains { ASCII.isDigit($0) }
    return hasUpper && hasLower || hasDigit && word.allSatisfy(ASCII.isAlphanumeric)
  }

  /// A local part, `@` and a dotted domain.
  private static func emails(in bytes: [UInt8]) -> [(range: Range<Int>, kind: SecretKind)] {
    bytes.indices.filter { bytes[$0] == UInt8(ascii: "@") }.compactMap { sign in
      var start = sign
      while start > 0, isLocalPart(bytes[start - 1]) { start -= 1 }
      var end = self.end(of: sign + 1, in: bytes) {
        ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") || $0 >= 0x80
      }
      // A full stop after an address ends the sentence.
      while end > sign + 1, bytes[end - 1] == UInt8(ascii: ".") { end -= 1 }
      guard start < sign, bytes[(sign + 1)..<end].contains(UInt8(ascii: ".")) else { return nil }
      return (start..<end, .email)
    }
  }

  /// Long Base64 strings with `+` or `/`. Their characters change class as often as random ones, unlike those of a path.
  static func longBase64(in bytes: [UInt8]) -> [(range: Range<Int>, kind: SecretKind)] {
    func isBase64(_ byte: UInt8) -> Bool { ASCII.isAlphanumeric(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/") }
    var found: [(range: Range<Int>, kind: SecretKind)] = []
    var index = 0
    while index < bytes.count {
      guard isBase64(bytes[index]) else {
        index += 1
        continue
      }
      let start = index
      index = end(of: start, in: bytes, while: isBase64)
      let word = bytes[start..<index]
      guard word.count >= 43, !word.allSatisfy(ASCII.isAlphanumeric) else { continue }
      let changes = zip(word, word.dropFirst()).reduce(0) { $0 + (characterClass($1.0) == characterClass($1.1) ? 0 : 1) }
      if changes * 5 >= word.count * 2 { found.append((start..<index, .token)) }
    }
    return found
  }

  /// 0 to 3 for capital letters, small letters, digits and other characters.
  static func characterClass(_ byte: UInt8) -> Int {
    switch byte {
    case _ where ASCII.isUppercase(byte): 0
    case _ where ASCII.isLowercase(byte): 1
    case _ where ASCII.isDigit(byte): 2
    default: 3
    }
  }
}
