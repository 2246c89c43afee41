import Text

/// Distinguishes random digits, as in tokens, from names that people choose.
enum RandomText {
  /// Whether a text of 20 and more characters looks like random digits of Base64, Base36 or hexadecimal (of 32 and more, because shorter
  /// ones are ids of databases); a UUID, a ULID, a slug and the name of a file do not.
  static func matches(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 20, bytes.allSatisfy({ SecretShapes.isBase64URL($0) || $0 == UInt8(ascii: "~") }) else { return false }
    if ASCII.isUUID(bytes) { return false }
    if bytes.allSatisfy(ASCII.isHexadecimal) { return bytes.count >= 32 && !bytes.allSatisfy(ASCII.isDigit) }
    let hasDigit = bytes.contains(where: ASCII.isDigit)
    let capitals = bytes.count { ASCII.isUppercase($0) }
    let small = bytes.count { ASCII.isLowercase($0) }
    // A ULID is an id that begins with its time.
    if bytes.count == 26, small == 0, ASCII.isDigit(bytes[0]) { return false }
    guard hasDigit || capitals > 0 && small > 0, capitals + small > 0 else { return false }
    if isSlug(bytes, hasCapitals: capitals > 0) || isCamelCaseWithVersions(bytes) { return false }
    var changes = 0
    for (left, right) in zip(bytes, bytes.dropFirst())
    where SecretShapes.characterClass(left) != SecretShapes.characterClass(right) {
      changes += 1
    }
    return changes * 10 >= bytes.count * 3
  }

  /// Whether a segment of a path, or a part of it between punctuation, looks random once it is decoded.
  static func occurs(in bytes: [UInt8]) -> Bool {
    guard bytes.count >= 20 else { return false }
    if matches(bytes) { return true }
    let decoded = Array(PercentCoding.decodeLeniently(bytes))
    // Base64 in the form of URLs; its padding is insignificant.
    return decoded.split { !ASCII.isAlphanumeric($0) && !"-_~.+/=".utf8.contains($0) }.contains { part in
      let digits = part.reversed().drop { $0 == UInt8(ascii: "=") }.reversed().map {
        $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") ? UInt8(ascii: "-") : $0
      }
      return matches(digits)
    }
  }

  /// Whether a text without digits is the name of a function, such as `getAccountSettingsById`: its words have at least two letters, and
  /// three on average.
  static func isCamelCase(_ bytes: [UInt8]) -> Bool {
    let words = SecretNameWords.words(of: bytes)
    return words.allSatisfy { $0.count >= 2 } && bytes.count >= words.count * 3
  }

  /// A text without versions such as `V2` that follow a word and precede one, or nothing.
  private static func withoutVersions(_ bytes: [UInt8]) -> [UInt8] {
    var kept: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "V"), let last = kept.last, SecretShapes.characterClass(last) == 1 {
        let end = SecretShapes.end(of: index + 1, in: bytes, while: ASCII.isDigit)
        if (1...2).contains(end - index - 1), end == bytes.count || SecretShapes.characterClass(bytes[end]) == 0 {
          index = end
          continue
        }
      }
      kept.append(bytes[index])
      index += 1
    }
    return kept
  }

  /// Whether a text is the name of a function or type, possibly with versions: `UserAccountV2SettingsV3`.
  private static func isCamelCaseWithVersions(_ bytes: [UInt8]) -> Bool {
    let rest = bytes.contains(where: ASCII.isDigit) ? withoutVersions(bytes) : bytes
    return !rest.contains(where: ASCII.isDigit) && isCamelCase(rest)
  }

  private static let units = Set(
    ["gb", "tb", "mb", "kb", "mm", "cm", "ml", "kg", "hz", "mhz", "ghz", "mp"].map { Array($0.utf8) })

  /// Whether a text consists of words and numbers between hyphens, and of sizes, models and versions such as `256gb`, `S24` and `v2`; in
  /// lower case more of these are known.
  private static func isSlug(_ bytes: [UInt8], hasCapitals: Bool) -> Bool {
    let parts = bytes.split { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    func isWord(_ part: ArraySlice<UInt8>) -> Bool {
      part.count < 20 && part.allSatisfy { !ASCII.isDigit($0) } && SecretNameWords.isWords(Array(part))
    }
    func isSize(_ part: ArraySlice<UInt8>) -> Bool {
      let classes = part.map(SecretShapes.characterClass)
      if hasCapitals {
        let number = part.prefix(while: ASCII.isDigit)
        let isModel = (2...3).contains(part.count) && classes[0] == 0 && classes.dropFirst().allSatisfy { $0 == 2 }
        return isModel
          || (1...4).contains(number.count) && units.contains(part.dropFirst(number.count).map(ASCII.lowercased))
      }
      // Also a long word by its ends and the number of letters between them, such as `k8s` and `i18n`.
      let isShortened =
        part.count <= 4 && classes.first == 1 && classes.last == 1 && classes.dropFirst().dropLast().allSatisfy { $0 == 2 }
      return isShortened && part.count >= 3 || part.count <= 5 && zip(classes, classes.dropFirst()).count { $0 != $1 } == 1
    }
    let hasWord = parts.contains { $0.count >= 3 && isWord($0) }
    return parts.allSatisfy { $0.allSatisfy(ASCII.isDigit) || isWord($0) || hasWord && isSize($0) }
  }
}
