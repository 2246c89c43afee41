import Text

/// Words of names that often, but not always, have secret values: `x_session_id`, `userPwd`, `otp-code`.
///
/// A word counts as a whole (`otp-code`, never `tangent`), and several words if they follow each other or are written as one
/// (`deviceCode`, `devicecode`).
struct SecretNameWords: Sendable {
  /// The form of a value that is masked under a name that also has harmless values.
  enum Values: Equatable {
    /// More than words; no decimal number below ten.
    case codes
    /// Likewise, and also capital letters alone, as people type them: `WDJB-MJHT`.
    case typedCodes
    /// More than words; no short number of JSON, time, version, numbered word or sentence.
    case tokens
    /// Likewise, and no number or key of an issue tracker such as `PROJ-1234`.
    case tickets
    /// More than words, and no sentence.
    case pairs
    /// More than a word, without blanks.
    case messages
    /// More than words.
    case any
  }

  /// The words in lower case, with the kind of their values. A new name needs only a line here.
  static let table: [(String, SecretKind)] = [
    ("session", .token), ("sessions", .token), ("sessionid", .token), ("sessid", .token), ("jsessionid", .token),
    ("phpsessid", .token),
    ("sid", .token), ("sids", .token),
    ("sess", .token), ("ticket", .token), ("assertion", .token), ("saml response", .token), ("saml request", .token),
    ("invite", .token), ("invitation", .token), ("confirmation", .token), ("reset", .token), ("oob code", .code),
    ("auth", .token), ("authz", .token), ("sas", .signature), ("sig", .signature), ("hmac", .signature), ("nonce", .token),
    ("pwd", .key), ("pw", .key), ("pass", .key), ("userpwd", .key), ("dbpass", .key), ("passkey", .key),
    ("connection string", .key), ("signing key", .key), ("encryption key", .key),
    ("master key", .key), ("account key", .key), ("shared key", .key), ("kubeconfig", .key),
    ("mfa", .code), ("totp", .code), ("tan", .code), ("tans", .code), ("otps", .code), ("otp", .code), ("pin", .code),
    ("pins", .code), ("userpin", .code), ("cvv", .code),
    ("cvc", .code),
    ("csc", .code), ("security code", .code), ("recovery code", .code), ("recovery codes", .code), ("backup code", .code),
    ("backup codes", .code), ("device code", .code), ("user code", .code), ("user codes", .code),
    ("scratch code", .code), ("scratch codes", .code), ("sms code", .code), ("activation code", .code), ("unlock code", .code),
    ("verify code", .code), ("otpcode", .code), ("mfacode", .code), ("totpcode", .code), ("tancode", .code), ("puk", .code),
    ("security answer", .key), ("recovery key", .key), ("seed phrase", .key), ("mnemonic", .key), ("license key", .key),
    ("authkey", .key), ("dbpwd", .key), ("pwds", .key), ("nonces", .token), ("usersession", .token),
    // "Password" in Portuguese, Spanish, Polish, Czech, Italian and Turkish, Hungarian and Slovenian; some of these are other words, too.
    ("senha", .key), ("clave", .key), ("haslo", .key), ("heslo", .key), ("parola", .key), ("sifre", .key), ("jelszo", .key),
    ("geslo", .key),
    // Firebase's and Apple's push services, whose names stand for a device's token; the key of a wireless network or tunnel.
    ("fcm", .token), ("gcm", .token), ("apns", .token), ("psk", .key),
    ("social security number", .identifier), ("passport number", .identifier),
    ("ssn", .identifier), ("iban", .identifier), ("tax id", .identifier),
  ]

  /// The last words of names of facts about a secret, whose values are not secret.
  private static let facts = Set(
    [
      "active", "age", "algorithm", "alg", "at", "attempts", "available", "by", "count", "created", "date", "description",
      "domain",
      "duration", "error", "errors", "expires", "expired", "expiry", "format", "in", "index", "interval", "issued", "kind",
      "label", "left",
      "length", "level", "limit", "max", "message", "method", "methods", "min", "minutes", "mode", "ms", "name", "only", "origin",
      "path",
      "policy", "provider", "ready", "reason", "remaining", "required", "samesite", "scheme", "seconds", "sent", "sha1", "sha256",
      "size",
      "started", "state", "status", "strategy", "rate", "supported", "time", "timeout", "title", "ttl", "type", "types",
      "updated", "uri", "url", "valid",
      "version", "window",
    ].map { Array($0.utf8) })

  /// Further last words that name a fact about a token or key.
  private static let factsOfOthers = Set(
    ["amount", "cost", "end", "fee", "period", "price", "start", "sum", "tier", "total"].map { Array($0.utf8) })

  private struct Rule {
    let words: [[UInt8]]
    let joined: [UInt8]
    let kind: SecretKind
  }

  /// By the first word, and by all words written as one.
  private let byWord: [[UInt8]: [Rule]]
  private let byName: [[UInt8]: SecretKind]

  /// Creates the rules of some lines of ``table``.
  init(_ lines: [(text: String, kind: SecretKind)]) {
    let rules = lines.map { line in
      let words = line.text.utf8.split(separator: UInt8(ascii: " ")).map(Array.init)
      return Rule(words: words, joined: words.flatMap(\.self), kind: line.kind)
    }
    byWord = Dictionary(grouping: rules) { $0.words.first ?? [] }
    byName = Dictionary(rules.map { ($0.joined, $0.kind) }) { first, _ in first }
  }

  /// The kind of a name's values, and the values that are masked; nil if the name has none of the words or names a fact.
  func indication(of name: some Sequence<UInt8>, normalized: [UInt8]) -> (kind: SecretKind, values: Values)? {
    let words = Self.words(of: name)
    if let kind = byName[normalized] { return (kind, Self.values(of: kind, normalized, last: words.last ?? [])) }
    guard let last = words.last, words.count == 1 || !Self.facts.contains(last) else { return nil }
    for start in words.indices {
      for rule in byWord[words[start]] ?? [] where words[start...].starts(with: rule.words) {
        // People type the code of an invitation, so it may consist of digits only.
        let kind = rule.kind == .token && Self.codes.contains(last) ? .code : rule.kind
        if kind != .code, kind != .identifier, Self.factsOfOthers.contains(last) { continue }
        return (kind, Self.values(of: kind, rule.joined, last: last))
      }
    }
    return nil
  }

  private static let codes = Set(["code", "codes"].map { Array($0.utf8) })
  /// Last words of names whose values are masked even if they look like a time or a version.
  private static let ids = Set(
    ["id", "jsessionid", "nonce", "phpsessid", "sessid", "sessionid", "sid", "sids"].map { Array($0.utf8) })

  private static func values(of kind: SecretKind, _ name: [UInt8], last: [UInt8]) -> Values {
    switch kind {
    case .code: codes.contains(last) ? .typedCodes : .codes
    case .token: name.elementsEqual("ticket".utf8) ? .tickets : ids.contains(last) ? .any : .tokens
    default: .any
    }
  }

  /// The words of a name in lower case: between separators, at a capital letter, and without digits.
  static func words(of name: some Sequence<UInt8>) -> [[UInt8]] {
    var words: [[UInt8]] = []
    var word: [UInt8] = []
    var wasCapital = false
    func isCapital(_ byte: UInt8) -> Bool { ASCII.isUppercase(byte) }
    for byte in name {
      guard ASCII.isAlphanumeric(byte), !ASCII.isDigit(byte) else {
        if !word.isEmpty { words.append(word) }
        (word, wasCapital) = ([], false)
        continue
      }
      if isCapital(byte) {
        if !wasCapital, !word.isEmpty {
          words.append(word)
          word = []
        }
      } else if wasCapital, word.count > 1 {
        // `SAMLResponse`: the last capital letter begins the next word.
        let last = word.removeLast()
        words.append(word)
        word = [last]
      }
      word.append(ASCII.lowercased(byte))
      wasCapital = isCapital(byte)
    }
    if !word.isEmpty { words.append(word) }
    return words
  }

  /// Whether a value is a secret rather than a state, a choice, a date or a public pin: it has at least four characters (three
  /// digits), and is more than words. `isNumber` is true for a number of JSON: one of at most 16 characters is not a token.
  static func isSecret(_ value: some Collection<UInt8>, among values: Values = .any, isNumber: Bool = false) -> Bool {
    // Only short values are shown, so that the time does not grow with the length of a value.
    guard value.count <= longestShown else { return true }
    let bytes = Array(value)
    guard bytes.count >= 4 || bytes.count == 3 && bytes.allSatisfy(ASCII.isDigit) else { return false }
    if values == .typedCodes, isTyped(bytes) { return true }
    if isPublicPin(bytes) || isDate(bytes) || isWords(bytes) { return false }
    switch values {
    case .any: return true
    case .pairs: return !isSentence(bytes)
    case .messages: return !bytes.contains(UInt8(ascii: " "))
    case .codes, .typedCodes: return !isDecimal(bytes, integer: 1)
    case .tokens, .tickets:
      let isShort = bytes.count <= 5 || values == .tickets && bytes.count <= 8
      if isShort, isNumber || values == .tickets, bytes.allSatisfy(ASCII.isDigit) { return false }
      return !isDecimal(bytes, integer: 6) && !isTime(bytes) && !isVersion(bytes) && !isNumbered(bytes) && !isSentence(bytes)
        && !(values == .tickets && isIssueKey(bytes))
    }
  }

  /// Whether a text is six to nine capital letters, possibly in groups.
  private static func isTyped(_ bytes: [UInt8]) -> Bool {
    let letters = bytes.filter { $0 != UInt8(ascii: "-") }
    return (6...9).contains(letters.count) && bytes.count <= 12
      && letters.allSatisfy { ASCII.isUppercase($0) }
  }

  /// The length of the longest value that may be shown, in bytes: a public pin.
  private static let longestShown = 80

  /// Whether a text is the hash of a public key, as `Public-Key-Pins` writes it (RFC 7469 §2.4).
  private static func isPublicPin(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: "sha256/".utf8)
      && bytes.dropFirst(7).allSatisfy { ASCII.isAlphanumeric($0) || "+/=".utf8.contains($0) }
  }

  /// Whether a text has words of letters with one or two short numbers between them, as a message has; a passphrase ends with its numbers.
  private static func isSentence(_ bytes: [UInt8]) -> Bool {
    let parts = bytes.split(separator: UInt8(ascii: " "))
    guard parts.count >= 4, bytes.count <= 40, parts.last?.contains(where: ASCII.isDigit) == false else { return false }
    let numbers = parts.count { $0.count <= 2 && $0.allSatisfy(ASCII.isDigit) }
    return numbers <= 2 && parts.count - numbers >= 3
      && parts.allSatisfy { part in
        part.count <= 2 && part.allSatisfy(ASCII.isDigit)
          || part.count < 20 && part.allSatisfy { !ASCII.isDigit($0) } && isWords(Array(part))
      }
  }

  /// Whether a text is a number with a fraction and at most so many digits before it.
  private static func isDecimal(_ bytes: [UInt8], integer: Int) -> Bool {
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count == 2 && parts[0].count <= integer && parts[1].count <= (integer > 1 ? 4 : 16)
      && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(ASCII.isDigit) }
  }

  /// Whether a text is a time between 2014 and 2036 in seconds or milliseconds since 1970, a year and its part (`2024/25`,
  /// `2024-W12`), or a time of the day.
  static func isTime(_ bytes: [UInt8]) -> Bool {
    if bytes.allSatisfy(ASCII.isDigit) {
      return (bytes.count == 10 || bytes.count == 13) && (14...20).contains(Int(bytes[0] - 48) * 10 + Int(bytes[1] - 48))
    }
    let parts = bytes.split(omittingEmptySubsequences: false) { "/-:".utf8.contains($0) }
    guard (2...3).contains(parts.count), parts[0].allSatisfy(ASCII.isDigit) else { return false }
    if parts[0].count == 2 {
      // Hours, minutes and seconds.
      return bytes.allSatisfy { ASCII.isDigit($0) || $0 == UInt8(ascii: ":") }
        && zip(parts, [24, 60, 60]).allSatisfy { $0.count == 2 && number($0) < $1 }
    }
    return parts[0].count == 4 && (parts[0].starts(with: "19".utf8) || parts[0].starts(with: "20".utf8))
      && parts.dropFirst().allSatisfy { part in
        let digits = part.first == UInt8(ascii: "W") || part.first == UInt8(ascii: "Q") ? part.dropFirst() : part
        return (1...2).contains(digits.count) && digits.allSatisfy(ASCII.isDigit)
      }
  }

  /// The number of a few digits.
  private static func number(_ digits: ArraySlice<UInt8>) -> Int { digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } }

  /// Whether a text is a version such as `v2`, `v2.0`, `2.0.1` or `v1beta1`.
  static func isVersion(_ bytes: [UInt8]) -> Bool {
    let isMarked = bytes.first.map { $0 | 0x20 == UInt8(ascii: "v") } ?? false
    let parts = bytes.dropFirst(isMarked ? 1 : 0).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard isMarked || parts.count >= 3, (1...4).contains(parts.count) else { return false }
    return parts.allSatisfy { part in
      let number = part.prefix(while: ASCII.isDigit)
      let rest = part.dropFirst(number.count)
      let stage = rest.prefix { !ASCII.isDigit($0) }
      let build = rest.dropFirst(stage.count)
      // A year may be the first part; `v` and more digits are a token rather than a version.
      let longest = parts.count == 1 ? 2 : part.startIndex == parts[0].startIndex && part.starts(with: "20".utf8) ? 4 : 3
      return (1...longest).contains(number.count)
        && (stage.isEmpty || stages.contains(Array(stage.drop { $0 == UInt8(ascii: "-") })))
        && build.count <= 2 && build.allSatisfy(ASCII.isDigit)
    }
  }

  private static let stages = Set(["alpha", "beta", "rc", "preview"].map { Array($0.utf8) })

  /// Whether a text is a word that people count, and one or two digits: `step2`, `oauth2`.
  static func isNumbered(_ bytes: [UInt8]) -> Bool {
    let digits = bytes.reversed().prefix(while: ASCII.isDigit).count
    let word = bytes.dropLast(digits).map(ASCII.lowercased)
    return (1...2).contains(digits)
      && countedWords.contains(word.last.map { "-_".utf8.contains($0) } == true ? word.dropLast() : word)
  }

  private static let countedWords = Set(
    [
      "attempt", "chapter", "factor", "item", "line", "loa", "oauth", "option", "part", "phase", "question", "round", "saml",
      "screen",
      "section", "stage", "step", "tier", "version",
    ].map { Array($0.utf8) })

  /// Whether a text is the key of an issue: capital letters, a hyphen and a number.
  private static func isIssueKey(_ bytes: [UInt8]) -> Bool {
    let parts = bytes.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return parts.count == 2 && (2...10).contains(parts[0].count) && (1...6).contains(parts[1].count)
      && parts[0].allSatisfy { ASCII.isUppercase($0) } && parts[1].allSatisfy(ASCII.isDigit)
  }

  /// Whether a text consists of words of letters, such as `in_progress`, `MagicLink` or `signed out`.
  static func isWords(_ bytes: [UInt8]) -> Bool {
    guard bytes.count <= 40 else { return false }
    var humps = 0
    var before: UInt8 = 0
    for byte in bytes {
      let isLetter = ASCII.isAlphanumeric(byte) && !ASCII.isDigit(byte)
      guard isLetter || " _-.,:/".utf8.contains(byte) else { return false }
      let isCapital = ASCII.isUppercase(byte)
      if isCapital, ASCII.isLowercase(before) { humps += 1 }
      before = byte
    }
    return humps * 6 <= bytes.count
  }

  /// Whether a text is a date, or a date and a time (RFC 3339).
  static func isDate(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else { return false }
    guard [0, 1, 2, 3, 5, 6, 8, 9].allSatisfy({ ASCII.isDigit(bytes[$0]) }) else { return false }
    return bytes.count == 10
      || bytes.count <= 35 && (bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: " "))
        && bytes[11...].allSatisfy { ASCII.isDigit($0) || ":.+-Zz".utf8.contains($0) }
  }
}
