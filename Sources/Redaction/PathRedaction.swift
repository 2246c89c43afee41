import Text

/// Redacts the path of a request or of a URL: known secrets anywhere, and in its segments what is random or follows a telling one.
struct PathRedaction {
  let scan: SecretScan
  let context: MaskContext

  /// Words of a segment behind which an id of any form stands for a person's link.
  private static let linkWords = Set(
    [
      "magic", "magiclink", "loginlink", "reset", "resets", "passwordreset", "resetpassword", "invite", "invites", "invitation",
      "invitations",
    ].map { Array($0.utf8) })
  /// Words of a segment behind which anything but a word, a number, a UUID or a date is a secret.
  private static let tokenWords = Set(
    [
      "verify", "verification", "verifyemail", "emailverification", "confirm", "confirmation", "confirmemail",
      "emailconfirmation", "activate", "activation", "confirmations", "recover", "recovery", "unlock", "unsubscribe",
      "session", "sessions", "token", "tokens", "otp",
    ].map { Array($0.utf8) })

  /// Segments that say what is verified, reset or accepted, so that the next one stands behind the same word.
  private static let objects = Set(["accept", "account", "email", "link", "password", "phone", "user"].map { Array($0.utf8) })

  /// Masks what the whole path shows to be a secret, then segments one by one, so that the endpoint stays readable.
  func redact(_ path: String) -> MaskedText {
    // A secret may contain slashes, and what it is recognized by may stand in another segment. Long Base64 is the exception, because
    // a path has the same characters.
    let bytes = Array(path.utf8)
    let spans =
      scan.isPlain(path.utf8.span, context: context)
      ? [] : scan.spans(in: bytes, context: context, shapes: .all.subtracting(.base64))
    // Masked text, and for each of its bytes where it comes from.
    var text: [UInt8] = []
    var masked = MaskedText(text: "")
    var shifts: [(from: Int, by: Int)] = [(0, 0)]
    var cursor = 0
    for span in spans {
      text += bytes[cursor..<span.range.lowerBound]
      text += scan.tag(for: span.value, kind: span.kind).utf8
      masked.counts[span.kind, default: 0] += 1
      cursor = span.range.upperBound
      shifts.append((text.count, cursor - text.count))
    }
    text += bytes[cursor...]
    var long = Self.longBase64(in: bytes)[...]
    var shift = shifts[...]
    var before: [[UInt8]] = []
    var start = 0
    for (index, segment) in text.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).enumerated() {
      if index > 0 { masked.text += "/" }
      func source(of place: Int) -> Int {
        while let next = shift.dropFirst().first, next.from <= place { shift.removeFirst() }
        return place + (shift.first?.by ?? 0)
      }
      let first = source(of: start)
      let range = first..<max(first, source(of: start + segment.count))
      start += segment.count + 1
      long = long.drop { $0.upperBound <= range.lowerBound }
      masked.add(self.segment(segment, after: before, isInBase64: long.first?.overlaps(range) ?? false))
      // An empty segment, or one with only parameters, does not separate its neighbours.
      // Neither does a word such as in `/verify/email/…`.
      let name = segment.prefix { $0 != UInt8(ascii: ";") }
      if !name.isEmpty, before.isEmpty || !Self.objects.contains(Array(name)) { before = Self.words(before: name) }
    }
    return masked
  }

  /// Where a path, or what it decodes to, has long Base64.
  private static func longBase64(in path: [UInt8]) -> [Range<Int>] {
    let text = SecretShapes.longBase64(in: path).map(\.range)
    guard let view = DecodedView(path).percentDecoded() else { return text }
    return (text + SecretShapes.longBase64(in: view.bytes).map { view.source(of: $0.range) }).sorted {
      $0.lowerBound < $1.lowerBound
    }
  }

  /// The words that say what the next segment is.
  private static func words(before segment: ArraySlice<UInt8>) -> [[UInt8]] {
    let parts = parts(of: segment)
    guard segment.count <= 40, parts.count == 1, !parts[0].isTag else { return [] }
    return SecretNameWords.words(of: PercentCoding.decodeLeniently(segment))
  }

  private func segment(_ segment: ArraySlice<UInt8>, after before: [[UInt8]], isInBase64: Bool) -> MaskedText {
    // Parameters of the segment (RFC 3986 §3.3), such as `;jsessionid=`.
    let pieces = segment.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
    var masked = name(pieces[0], after: before, isInBase64: isInBase64)
    for parameter in pieces.dropFirst() {
      masked.text += ";"
      let text = String(decoding: parameter, as: UTF8.self)
      masked.add(
        Self.parts(of: parameter).contains(where: \.isTag)
          ? MaskedText(text: text) : QueryRedaction(scan: scan, context: context).redact(text))
    }
    return masked
  }

  /// A segment without its parameters.
  private func name(_ segment: ArraySlice<UInt8>, after before: [[UInt8]], isInBase64: Bool) -> MaskedText {
    let isLink = before.contains(where: Self.linkWords.contains)
    let isToken = before.contains(where: Self.tokenWords.contains)
    let isSecret = Self.parts(of: segment).contains { part in
      if part.isTag { return false }
      let bytes = Array(part.bytes)
      if RandomText.occurs(in: bytes) { return true }
      guard isLink || isToken || isInBase64 else { return false }
      let decoded = Array(PercentCoding.decodeLeniently(bytes))
      if Self.isWord(decoded) || Self.isNumber(decoded) || SecretNameWords.isVersion(decoded) { return false }
      if !isLink, RandomText.isUUID(bytes) || Self.isSlug(decoded) && !isInBase64 { return false }
      return isInBase64 || !Self.isHarmless(decoded)
    }
    let text = String(decoding: segment, as: UTF8.self)
    return isSecret
      ? QueryRedaction(scan: scan, context: context).whole(text, kind: .token)
      : scan.mask(text, context: context, shapes: .base64)
  }

  /// A segment by its tags and what is between them.
  private static func parts(of segment: ArraySlice<UInt8>) -> [(bytes: ArraySlice<UInt8>, isTag: Bool)] {
    guard segment.contains(where: { $0 >= 0x80 }) else { return segment.isEmpty ? [] : [(segment, false)] }
    let bytes = Array(segment)
    var parts: [(bytes: ArraySlice<UInt8>, isTag: Bool)] = []
    var (start, index) = (0, 0)
    while index < bytes.count {
      guard let end = MaskTag.end(at: index, in: bytes) else {
        index += 1
        continue
      }
      if start < index { parts.append((bytes[start..<index], false)) }
      parts.append((bytes[index..<end], true))
      (start, index) = (end, end)
    }
    if start < bytes.count { parts.append((bytes[start...], false)) }
    return parts
  }

  /// Whether a segment behind a telling one is a time, a numbered word, or the name of a parameter.
  private static func isHarmless(_ bytes: [UInt8]) -> Bool {
    SecretNameWords.isDate(bytes) || SecretNameWords.isTime(bytes) || SecretNameWords.isNumbered(bytes)
      || isParameter(bytes)
      || bytes.elementsEqual("@me".utf8) || bytes.elementsEqual("@self".utf8)
  }

  /// Whether a segment is a word of letters and hyphens with fewer than 20 characters.
  private static func isWord(_ bytes: [UInt8]) -> Bool {
    bytes.elementsEqual("2fa".utf8)
      || bytes.count < 20
        && bytes.allSatisfy { SecretShapes.isAlphanumeric($0) && !SecretShapes.isDigit($0) || "-_.".utf8.contains($0) }
        && SecretNameWords.isWords(bytes) && (!hasHump(bytes) || RandomText.isCamelCase(bytes))
  }

  /// Whether a small letter precedes a capital one.
  private static func hasHump(_ bytes: [UInt8]) -> Bool {
    zip(bytes, bytes.dropFirst()).contains { SecretShapes.characterClass($0) == 1 && SecretShapes.characterClass($1) == 0 }
  }

  /// Whether a segment consists of digits, hyphens and points.
  private static func isNumber(_ bytes: [UInt8]) -> Bool {
    bytes.count < 20 && bytes.allSatisfy { SecretShapes.isDigit($0) || "-.".utf8.contains($0) }
  }

  /// Whether a text is words in small letters between hyphens.
  private static func isSlug(_ bytes: [UInt8]) -> Bool {
    bytes.count <= 60
      && bytes.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).allSatisfy {
        (1..<16).contains($0.count) && $0.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
      }
  }

  /// Whether a segment stands for a value in a pattern: `{id}`, `:id`, `<id>`, `*`.
  private static func isParameter(_ bytes: [UInt8]) -> Bool {
    let name: ArraySlice<UInt8>
    switch (bytes.first, bytes.last) {
    case (UInt8(ascii: "{"), UInt8(ascii: "}")), (UInt8(ascii: "<"), UInt8(ascii: ">")): name = bytes.dropFirst().dropLast()
    case (UInt8(ascii: ":"), _): name = bytes.dropFirst()
    case (UInt8(ascii: "*"), _): return bytes.count == 1
    default: return false
    }
    guard isWord(Array(name)), let last = SecretNameWords.words(of: name).last else { return false }
    return parameterWords.contains(last)
  }

  /// The last words of names of parameters.
  private static let parameterWords = Set(
    ["code", "id", "key", "name", "number", "session", "slug", "token", "uuid"].map { Array($0.utf8) })
}
