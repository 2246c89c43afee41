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

  /// Masks segments one by one, so that the endpoint stays readable.
  func redact(_ path: String) -> MaskedText {
    // A known secret may contain a slash.
    let known = scan.mask(path, context: context)
    var masked = MaskedText(text: "", counts: known.counts)
    var rest = known.text[...]
    if let scheme = rest.firstRange(of: "://") {
      // A user's name and password stand in front of the host.
      let end = rest[scheme.upperBound...].firstIndex(of: "/") ?? rest.endIndex
      masked.add(scan.mask(String(rest[..<end]), context: context, shapes: .all))
      rest = rest[end...]
    }
    var before: [[UInt8]] = []
    for (index, segment) in rest.split(separator: "/", omittingEmptySubsequences: false).enumerated() {
      if index > 0 { masked.text += "/" }
      masked.add(self.segment(segment, after: before))
      before = segment.utf8.count <= 40 ? SecretNameWords.words(of: segment.utf8) : []
    }
    return masked
  }

  private func segment(_ segment: Substring, after before: [[UInt8]]) -> MaskedText {
    // Parameters of the segment (RFC 3986 §3.3), such as `;jsessionid=`.
    let parts = segment.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count < 2 else {
      var masked = self.segment(parts[0], after: before)
      masked.text += ";"
      masked.add(QueryRedaction(scan: scan, context: context).redact(String(parts[1])))
      return masked
    }
    let text = String(segment)
    guard !text.isEmpty, !text.contains("‹") else { return scan.mask(text, context: context, shapes: .all) }
    let bytes = Array(text.utf8)
    let isSecret =
      before.contains(where: Self.linkWords.contains) && !Self.isWord(bytes) && !Self.isNumber(bytes)
      || before.contains(where: Self.tokenWords.contains) && !Self.isWord(bytes) && !Self.isNumber(bytes) && !Self.isUUID(bytes)
      || Self.looksRandom(bytes)
    guard isSecret else { return scan.mask(text, context: context, shapes: .all) }
    return QueryRedaction(scan: scan, context: context).whole(text, kind: .token)
  }

  /// Whether a segment is a word of letters and hyphens with fewer than 20 characters.
  private static func isWord(_ bytes: [UInt8]) -> Bool {
    bytes.count < 20
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
      && bytes.indices.allSatisfy { [8, 13, 18, 23].contains($0) ? bytes[$0] == UInt8(ascii: "-") : isHexadecimal(bytes[$0]) }
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    SecretShapes.isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
  }

  /// Whether a text of 20 and more characters looks like random digits of Base64, Base36 or hexadecimal (of 32 and more, because shorter
  /// ones are ids of databases); a UUID, a ULID, a slug and the name of a file do not.
  static func looksRandom(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 20, bytes.allSatisfy({ SecretShapes.isBase64URL($0) || $0 == UInt8(ascii: "~") }) else { return false }
    if isUUID(bytes) { return false }
    if bytes.allSatisfy(isHexadecimal) { return bytes.count >= 32 }
    let hasDigit = bytes.contains(where: SecretShapes.isDigit)
    let capitals = bytes.count { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    let small = bytes.count { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    // A ULID is an id that begins with its time.
    if bytes.count == 26, small == 0, SecretShapes.isDigit(bytes[0]) { return false }
    guard hasDigit || capitals > 0 && small > 0, capitals + small > 0 else { return false }
    // A slug: words and numbers between hyphens.
    let isSlug = bytes.split(whereSeparator: { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }).allSatisfy { part in
      part.allSatisfy(SecretShapes.isDigit)
        || part.count < 20 && part.allSatisfy { !SecretShapes.isDigit($0) } && SecretNameWords.isWords(Array(part))
    }
    if isSlug { return false }
    var changes = 0
    for (left, right) in zip(bytes, bytes.dropFirst())
    where SecretShapes.characterClass(left) != SecretShapes.characterClass(right) {
      changes += 1
    }
    return changes * 10 >= bytes.count * 3
  }
}
