/// Redacts the path of a request or of a URL: known secrets anywhere, and in its segments what is random or follows a telling one.
struct PathRedaction {
  let scan: SecretScan
  let context: MaskContext

  /// Words of a segment behind which an id of any form stands for a person's link.
  private static let linkWords = Set(["magic", "reset", "invite", "invites", "invitation", "invitations"].map { Array($0.utf8) })
  /// Words of a segment behind which anything but a word, a number, a UUID or a date is a secret.
  private static let tokenWords = Set(
    [
      "verify", "verification", "confirm", "confirmation", "activate", "activation", "unsubscribe", "session", "sessions",
      "token",
      "tokens", "otp",
    ].map { Array($0.utf8) })

  /// Masks what the whole path shows to be a secret, then segments one by one, so that the endpoint stays readable.
  func redact(_ path: String) -> MaskedText {
    // A secret may contain slashes, and what it is recognized by may stand in another segment. Long Base64 is the exception, because
    // a path has the same characters.
    let known = scan.mask(path, context: context, shapes: .all.subtracting(.base64))
    var masked = MaskedText(text: "", counts: known.counts)
    var long = SecretShapes.longBase64(in: Array(known.text.utf8)).map(\.range)[...]
    var before: [[UInt8]] = []
    var start = 0
    for (index, segment) in known.text.split(separator: "/", omittingEmptySubsequences: false).enumerated() {
      if index > 0 { masked.text += "/" }
      let range = start..<(start + segment.utf8.count)
      long = long.drop { $0.upperBound <= range.lowerBound }
      masked.add(self.segment(segment, after: before, isInBase64: long.first?.overlaps(range) ?? false))
      start = range.upperBound + 1
      before = segment.utf8.count <= 40 && !segment.contains("‹") ? SecretNameWords.words(of: segment.utf8) : []
    }
    return masked
  }

  private func segment(_ segment: Substring, after before: [[UInt8]], isInBase64: Bool) -> MaskedText {
    // Parameters of the segment (RFC 3986 §3.3), such as `;jsessionid=`.
    let parts = segment.split(separator: ";", omittingEmptySubsequences: false)
    var masked = name(parts[0], after: before, isInBase64: isInBase64)
    for parameter in parts.dropFirst() {
      masked.text += ";"
      masked.add(
        parameter.contains("‹")
          ? MaskedText(text: String(parameter)) : QueryRedaction(scan: scan, context: context).redact(String(parameter)))
    }
    return masked
  }

  /// A segment without its parameters.
  private func name(_ segment: Substring, after before: [[UInt8]], isInBase64: Bool) -> MaskedText {
    let isLink = before.contains(where: Self.linkWords.contains)
    let isToken = before.contains(where: Self.tokenWords.contains)
    let isSecret = Self.unmasked(segment).contains { bytes in
      isLink && !Self.isWord(bytes) && !Self.isNumber(bytes)
        || (isToken || isInBase64) && !Self.isWord(bytes) && !Self.isNumber(bytes) && !Self.isUUID(bytes)
        || Self.looksRandom(bytes)
    }
    return isSecret
      ? QueryRedaction(scan: scan, context: context).whole(String(segment), kind: .token)
      : scan.mask(String(segment), context: context, shapes: .base64)
  }

  /// What of a segment is in no tag.
  private static func unmasked(_ segment: Substring) -> [[UInt8]] {
    segment.split(separator: "‹").enumerated().compactMap { index, part in
      let isTagged = index > 0 || segment.first == "‹"
      let rest = isTagged ? part[(part.firstIndex(of: "›").map(part.index(after:)) ?? part.startIndex)...] : part
      return rest.isEmpty ? nil : Array(rest.utf8)
    }
  }

  /// Whether a segment is a word of letters and hyphens with fewer than 20 characters.
  private static func isWord(_ bytes: [UInt8]) -> Bool {
    bytes.elementsEqual("2fa".utf8)
      || bytes.count < 20
        && bytes.allSatisfy { SecretShapes.isAlphanumeric($0) && !SecretShapes.isDigit($0) || "-_.".utf8.contains($0) }
        && SecretNameWords.isWords(bytes)
  }

  /// Whether a segment is a number or a date.
  private static func isNumber(_ bytes: [UInt8]) -> Bool {
    bytes.count < 20 && bytes.allSatisfy { SecretShapes.isDigit($0) || "-.".utf8.contains($0) }
      || bytes.first == UInt8(ascii: "v") && bytes.count < 4
  }

  /// Whether a segment is a UUID (RFC 9562 §4).
  private static func isUUID(_ bytes: [UInt8]) -> Bool {
    bytes.count == 36
      && bytes.indices.allSatisfy {
        [8, 13, 18, 23].contains($0) ? bytes[$0] == UInt8(ascii: "-") : SecretShapes.isHexadecimal(bytes[$0])
      }
  }

  /// Whether a text without digits is the name of a function, such as `getAccountSettingsById`: its words have at least two letters, and
  /// three on average.
  private static func isCamelCase(_ bytes: [UInt8]) -> Bool {
    let words = SecretNameWords.words(of: bytes)
    return words.allSatisfy { $0.count >= 2 } && bytes.count >= words.count * 3
  }

  /// Whether a text consists of words and numbers between hyphens; in lower case also of sizes and versions such as `256gb` and `v2`.
  private static func isSlug(_ bytes: [UInt8], hasCapitals: Bool) -> Bool {
    let parts = bytes.split { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    func isWord(_ part: ArraySlice<UInt8>) -> Bool {
      part.count < 20 && part.allSatisfy { !SecretShapes.isDigit($0) } && SecretNameWords.isWords(Array(part))
    }
    func isSize(_ part: ArraySlice<UInt8>) -> Bool {
      part.count <= 5
        && zip(part, part.dropFirst()).count { SecretShapes.characterClass($0) != SecretShapes.characterClass($1) } == 1
    }
    let hasWord = parts.contains { $0.count >= 3 && isWord($0) }
    return parts.allSatisfy { $0.allSatisfy(SecretShapes.isDigit) || isWord($0) || hasWord && !hasCapitals && isSize($0) }
  }

  /// Whether a text of 20 and more characters looks like random digits of Base64, Base36 or hexadecimal (of 32 and more, because shorter
  /// ones are ids of databases); a UUID, a ULID, a slug and the name of a file do not.
  static func looksRandom(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 20, bytes.allSatisfy({ SecretShapes.isBase64URL($0) || $0 == UInt8(ascii: "~") }) else { return false }
    if isUUID(bytes) { return false }
    if bytes.allSatisfy(SecretShapes.isHexadecimal) { return bytes.count >= 32 }
    let hasDigit = bytes.contains(where: SecretShapes.isDigit)
    let capitals = bytes.count { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    let small = bytes.count { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    // A ULID is an id that begins with its time.
    if bytes.count == 26, small == 0, SecretShapes.isDigit(bytes[0]) { return false }
    guard hasDigit || capitals > 0 && small > 0, capitals + small > 0 else { return false }
    if isSlug(bytes, hasCapitals: capitals > 0) || !hasDigit && isCamelCase(bytes) { return false }
    var changes = 0
    for (left, right) in zip(bytes, bytes.dropFirst())
    where SecretShapes.characterClass(left) != SecretShapes.characterClass(right) {
      changes += 1
    }
    return changes * 10 >= bytes.count * 3
  }
}
