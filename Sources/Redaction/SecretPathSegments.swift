import Text

/// Classifies a segment of a path by the segments before it: after `/reset/`, a segment is a secret, unless it is a word.
struct SecretPathSegments {
  /// Words of a segment after which an id of any form is a person's link.
  private static let linkWords = Set(
    [
      "magic", "magiclink", "loginlink", "reset", "resets", "passwordreset", "resetpassword", "invite", "invites", "invitation",
      "invitations",
    ].map { Array($0.utf8) })
  /// Words of a segment after which any other segment than a word, a number, a UUID or a date is a secret.
  private static let tokenWords = Set(
    [
      "verify", "verification", "verifyemail", "emailverification", "confirm", "confirmation", "confirmemail",
      "emailconfirmation", "activate", "activation", "confirmations", "recover", "recovery", "unlock", "unsubscribe",
      "session", "sessions", "token", "tokens", "otp",
    ].map { Array($0.utf8) })

  /// Segments that name the object that is verified, reset or accepted; the same word applies to the next segment.
  private static let objects = Set(["accept", "account", "email", "link", "password", "phone", "user"].map { Array($0.utf8) })

  /// By ``beginning(_:_:_:)``, whether a telling word begins with these letters.
  static let beginnings: [Bool] = {
    var beginnings = [Bool](repeating: false, count: 1 << 15)
    for word in linkWords.union(tokenWords) {
      beginnings[beginning(word[0], word[1], word[2])] = true
    }
    return beginnings
  }()

  /// The index of three bytes in ``beginnings``: five bits of each, which distinguish letters regardless of case.
  static func beginning(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Int {
    Int(first & 0x1f) << 10 | Int(second & 0x1f) << 5 | Int(third & 0x1f)
  }

  /// The words of the segment that classifies the next one.
  private var words: [[UInt8]] = []

  init() {}

  /// Advances past a segment.
  mutating func pass(_ segment: ArraySlice<UInt8>) {
    // An empty segment, or one with only parameters, does not separate its neighbors. Neither does a word such as in
    // `/verify/email/…`.
    let name = segment.prefix { $0 != UInt8(ascii: ";") }
    if name.isEmpty || !words.isEmpty && Self.objects.contains(Array(name)) { return }
    let parts = Self.parts(of: name)
    let isName = name.count <= 40 && parts.count == 1 && !parts[0].isTag
    words = isName ? SecretNameWords.words(of: PercentCoding.decodeLeniently(name)) : []
  }

  /// Whether a segment, without its parameters, is a secret because of the segments before it, or is part of long Base64.
  func isSecret(_ segment: ArraySlice<UInt8>, isInBase64: Bool = false) -> Bool {
    let isLink = words.contains(where: Self.linkWords.contains)
    guard isLink || isInBase64 || words.contains(where: Self.tokenWords.contains) else { return false }
    return Self.parts(of: segment).contains { part in
      if part.isTag { return false }
      let decoded = Array(PercentCoding.decodeLeniently(part.bytes))
      if Self.isWord(decoded) || Self.isNumber(decoded) || SecretNameWords.isVersion(decoded) { return false }
      if !isLink, ASCII.isUUID(decoded) || Self.isSlug(decoded) && !isInBase64 { return false }
      return isInBase64 || !Self.isHarmless(decoded)
    }
  }

  /// A segment by its tags and the bytes between them.
  static func parts(of segment: ArraySlice<UInt8>) -> [(bytes: ArraySlice<UInt8>, isTag: Bool)] {
    guard segment.contains(where: { $0 >= 0x80 }) else { return segment.isEmpty ? [] : [(segment, false)] }
    let bytes = Array(segment)
    var parts: [(bytes: ArraySlice<UInt8>, isTag: Bool)] = []
    var start = 0
    var index = 0
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

  /// Whether a segment after a telling one is a time, a numbered word, or the name of a parameter.
  private static func isHarmless(_ bytes: [UInt8]) -> Bool {
    SecretNameWords.isDate(bytes) || SecretNameWords.isTime(bytes) || SecretNameWords.isNumbered(bytes)
      || isParameter(bytes)
      || bytes.elementsEqual("@me".utf8) || bytes.elementsEqual("@self".utf8)
  }

  /// Whether a segment is a word of letters and hyphens with fewer than 20 characters.
  private static func isWord(_ bytes: [UInt8]) -> Bool {
    bytes.elementsEqual("2fa".utf8)
      || bytes.count < 20
        && bytes.allSatisfy { ASCII.isAlphanumeric($0) && !ASCII.isDigit($0) || "-_.".utf8.contains($0) }
        && SecretNameWords.isWords(bytes) && (!hasLowerToUpperTransition(bytes) || RandomText.isCamelCase(bytes))
  }

  /// Whether a small letter precedes a capital one.
  private static func hasLowerToUpperTransition(_ bytes: [UInt8]) -> Bool {
    zip(bytes, bytes.dropFirst()).contains { SecretShapes.characterClass($0) == 1 && SecretShapes.characterClass($1) == 0 }
  }

  /// Whether a segment consists of digits, hyphens and points.
  private static func isNumber(_ bytes: [UInt8]) -> Bool {
    bytes.count < 20 && bytes.allSatisfy { ASCII.isDigit($0) || "-.".utf8.contains($0) }
  }

  /// Whether a text is words in small letters between hyphens.
  private static func isSlug(_ bytes: [UInt8]) -> Bool {
    bytes.count <= 60
      && bytes.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).allSatisfy {
        (1..<16).contains($0.count) && $0.allSatisfy { ASCII.isLowercase($0) }
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
