extension SecretShapes {
  /// `+` and 8 to 15 digits.
  static func phones(in bytes: [UInt8]) -> [(range: Range<Int>, kind: SecretKind)] {
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

  /// Numbers that begin with `0` or `(`, have 9 to 14 digits and at least one separator, and are not part of a longer word.
  static func localPhones(in bytes: [UInt8]) -> [(range: Range<Int>, kind: SecretKind)] {
    var found: [(range: Range<Int>, kind: SecretKind)] = []
    for start in bytes.indices where bytes[start] == UInt8(ascii: "0") || bytes[start] == UInt8(ascii: "(") {
      if start > 0, isAlphanumeric(bytes[start - 1]) || "-_.".utf8.contains(bytes[start - 1]) { continue }
      let (digits, end, marks) = number(from: start, in: bytes, separators: " -()/", gap: 2)
      guard (9...14).contains(digits), marks > (bytes[start] == UInt8(ascii: "(") ? 1 : 0) else { continue }
      if end < bytes.count, isAlphanumeric(bytes[end]) || bytes[end] == UInt8(ascii: "_") { continue }
      found.append((start..<end, .phone))
    }
    return found
  }

  /// Payment card numbers, with or without separators.
  static func cards(in bytes: [UInt8]) -> [(range: Range<Int>, kind: SecretKind)] {
    var found: [(range: Range<Int>, kind: SecretKind)] = []
    for start in bytes.indices where isDigit(bytes[start]) && (start == 0 || !isAlphanumeric(bytes[start - 1])) {
      let (digits, end, _) = number(from: start, in: bytes, separators: " -", gap: 1)
      guard (13...19).contains(digits), end == bytes.count || !isAlphanumeric(bytes[end]) else { continue }
      let values = bytes[start..<end].filter(isDigit).map { Int($0 - UInt8(ascii: "0")) }
      if isCardLength(values), isChecked(values) { found.append((start..<end, .card)) }
    }
    return found
  }

  /// Two capital letters, two check digits and 11 to 30 capital letters and digits, also in groups of four.
  static func ibans(in bytes: [UInt8]) -> [(range: Range<Int>, kind: SecretKind)] {
    var found: [(range: Range<Int>, kind: SecretKind)] = []
    var index = 0
    while index < bytes.count {
      guard isAlphanumeric(bytes[index]) else {
        index += 1
        continue
      }
      let start = index
      index = end(of: start, in: bytes, while: isAlphanumeric)
      guard beginsIBAN(bytes.span, at: start, until: index) else { continue }
      var (last, digits) = (index, Array(bytes[start..<index]))
      // The longest that is valid: one in 97 of its beginnings is valid too.
      var valid = isIBAN(digits) ? last : nil
      if index - start == 4 {
        // Groups of four, of which the last may be shorter.
        while last + 1 < bytes.count, bytes[last] == UInt8(ascii: " "), digits.count.isMultiple(of: 4), digits.count < 34 {
          let next = end(of: last + 1, in: bytes, while: isAlphanumeric)
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
    func isCapital(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
    return (end - start == 4 || end - start >= 15) && isCapital(text[start]) && isCapital(text[start + 1])
      && isDigit(text[start + 2]) && isDigit(text[start + 3])
  }

  /// Whether the check digits are right (ISO 7064, MOD 97-10).
  private static func isIBAN(_ digits: [UInt8]) -> Bool {
    guard (15...34).contains(digits.count) else { return false }
    var rest = 0
    for digit in digits[4...] + digits[..<4] {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): rest = (rest * 10 + Int(digit - UInt8(ascii: "0"))) % 97
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): rest = (rest * 100 + Int(digit - UInt8(ascii: "A")) + 10) % 97
      default: return false
      }
    }
    return rest == 1
  }

  /// The digits from `start`, where they end, and the number of separators among them; at most `gap` separators in a row. More than 19
  /// digits are no number of a card or telephone: they end there, so that a text of numbers takes linear time.
  private static func number(
    from start: Int, in bytes: [UInt8], separators: String, gap: Int
  ) -> (digits: Int, end: Int, marks: Int) {
    var (digits, end, marks, pending) = (0, start, 0, 0)
    var index = start
    while index < bytes.count, digits < 20 {
      if isDigit(bytes[index]) {
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
  static func codes(in bytes: [UInt8]) -> [(range: Range<Int>, kind: SecretKind)] {
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
      guard isAlphanumeric(bytes[index]) else {
        index += 1
        continue
      }
      let start = index
      index = self.end(of: start, in: bytes, while: isAlphanumeric)
      let word = bytes[start..<index]
      if SecretKeyRules.isCode(word) { words.append(start..<index) }
      if word.count <= 8, codeWords.contains(word.map(SecretNeedle.lowercased)) { speaksOfCode = true }
      let isNext = groups.last.map { start == $0.upperBound + 1 && " -".utf8.contains(bytes[start - 1]) } ?? false
      if !isNext { end() }
      if (2...4).contains(word.count), word.allSatisfy(isDigit) { groups.append(start..<index) } else { end() }
    }
    end()
    return speaksOfCode ? words.map { ($0, .code) } : []
  }
}
