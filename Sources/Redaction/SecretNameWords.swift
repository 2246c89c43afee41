/// Words of names that often, but not always, have secret values: `x_session_id`, `userPwd`, `otp-code`.
///
/// A word counts as a whole (`otp-code`, never `tangent`), and several words if they follow each other or are written as one
/// (`deviceCode`, `devicecode`).
struct SecretNameWords: Sendable {
  /// The words in lower case, with the kind of their values. A line here is all that a further name needs.
  static let table: [(String, SecretKind)] = [
    ("session", .token), ("sessionid", .token), ("sessid", .token), ("jsessionid", .token), ("phpsessid", .token),
    ("sid", .token),
    ("sess", .token), ("ticket", .token), ("assertion", .token), ("saml response", .token), ("saml request", .token),
    ("invite", .token), ("invitation", .token), ("confirmation", .token), ("reset", .token), ("oob code", .token),
    ("auth", .token), ("authz", .token), ("sas", .signature), ("sig", .signature), ("hmac", .signature), ("nonce", .token),
    ("pwd", .key), ("pass", .key), ("connection string", .key), ("signing key", .key), ("encryption key", .key),
    ("master key", .key), ("account key", .key), ("shared key", .key), ("kubeconfig", .key),
    ("mfa", .code), ("totp", .code), ("tan", .code), ("otps", .code), ("otp", .code), ("pin", .code), ("cvv", .code),
    ("cvc", .code),
    ("csc", .code), ("security code", .code), ("recovery code", .code), ("recovery codes", .code), ("backup code", .code),
    ("backup codes", .code), ("device code", .code), ("user code", .code),
    ("ssn", .identifier), ("iban", .identifier), ("tax id", .identifier),
  ]

  /// The last words of names of facts about a secret, whose values are none.
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

  /// The kind of the values of a name; nil if it has none of the words, or ends like the name of a fact.
  func kind(of name: some Sequence<UInt8>, normalized: [UInt8]) -> SecretKind? {
    if let kind = byName[normalized] { return kind }
    let words = Self.words(of: name)
    if let last = words.last, words.count > 1, Self.facts.contains(last) { return nil }
    for start in words.indices {
      for rule in byWord[words[start]] ?? [] where words[start...].starts(with: rule.words) { return rule.kind }
    }
    return nil
  }

  /// The words of a name in lower case: between separators, at a capital letter, and without digits.
  static func words(of name: some Sequence<UInt8>) -> [[UInt8]] {
    var words: [[UInt8]] = []
    var word: [UInt8] = []
    var wasCapital = false
    func isCapital(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
    for byte in name {
      guard SecretShapes.isAlphanumeric(byte), !SecretShapes.isDigit(byte) else {
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
      word.append(SecretNeedle.lowercased(byte))
      wasCapital = isCapital(byte)
    }
    if !word.isEmpty { words.append(word) }
    return words
  }

  /// Whether a value is a secret rather than a state, a choice, a date or a public pin: it has at least four characters (three digits),
  /// and is more than words.
  static func isSecret(_ value: some Collection<UInt8>) -> Bool {
    let bytes = Array(value)
    guard bytes.count >= 4 || bytes.count == 3 && bytes.allSatisfy(SecretShapes.isDigit) else { return false }
    if bytes.starts(with: "sha256/".utf8) || isDate(bytes) { return false }
    return !isWords(bytes)
  }

  /// Whether a text consists of words of letters, such as `in_progress`, `MagicLink` or `signed out`.
  static func isWords(_ bytes: [UInt8]) -> Bool {
    guard bytes.count <= 40 else { return false }
    var humps = 0
    var before: UInt8 = 0
    for byte in bytes {
      let isLetter = SecretShapes.isAlphanumeric(byte) && !SecretShapes.isDigit(byte)
      guard isLetter || " _-.,:/".utf8.contains(byte) else { return false }
      let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
      if isCapital, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(before) { humps += 1 }
      before = byte
    }
    return humps * 6 <= bytes.count
  }

  /// Whether a text is a date, or a date and a time (RFC 3339).
  static func isDate(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else { return false }
    guard [0, 1, 2, 3, 5, 6, 8, 9].allSatisfy({ SecretShapes.isDigit(bytes[$0]) }) else { return false }
    return bytes.count == 10
      || bytes.count <= 35 && (bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: " "))
        && bytes[11...].allSatisfy { SecretShapes.isDigit($0) || ":.+-Zz".utf8.contains($0) }
  }
}
