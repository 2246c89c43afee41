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
    let hasUpper = word.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    let hasLower = word.contains { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    let hasDigit = word.contains { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    return hasUpper && hasLower || hasDigit && word.allSatisfy(isAlphanumeric)
  }

  /// A local part, `@` and a dotted domain.
  static func emails(in bytes: [UInt8]) -> [(range: Range<Int>, kind: SecretKind)] {
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

  /// Long Base64 strings with `+` or `/`. Their characters change class as often as random ones, unlike those of a path.
  static func longBase64(in bytes: [UInt8]) -> [(range: Range<Int>, kind: SecretKind)] {
    func isDigit(_ byte: UInt8) -> Bool { isAlphanumeric(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/") }
    var found: [(range: Range<Int>, kind: SecretKind)] = []
    var index = 0
    while index < bytes.count {
      guard isDigit(bytes[index]) else {
        index += 1
        continue
      }
      let start = index
      index = end(of: start, in: bytes, while: isDigit)
      let word = bytes[start..<index]
      guard word.count >= 43, !word.allSatisfy(isAlphanumeric) else { continue }
      let changes = zip(word, word.dropFirst()).reduce(0) { $0 + (characterClass($1.0) == characterClass($1.1) ? 0 : 1) }
      if changes * 5 >= word.count * 2 { found.append((start..<index, .token)) }
    }
    return found
  }

  /// 0 to 3 for capital letters, small letters, digits and other characters.
  static func characterClass(_ byte: UInt8) -> Int {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): 0
    case UInt8(ascii: "a")...UInt8(ascii: "z"): 1
    case UInt8(ascii: "0")...UInt8(ascii: "9"): 2
    default: 3
    }
  }
}
