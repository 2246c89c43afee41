/// Which names of members and query items announce a secret; case and separators do not matter.
enum SecretKeyRules {
  /// What the value of a name has to be masked as; nil where the name says nothing, or says that the value is harmless.
  static func kind(ofName name: String, context: MaskContext) -> SecretKind? {
    let name = normalized(name)
    if isHarmless(name) { return nil }
    if name == code || name == state {
      // Errors, languages and states of other things go by these names too.
      guard context == .authentication else { return nil }
      return name == code ? .code : .token
    }
    if codeNames.contains(name) { return .code }
    if let part = parts.first(where: { has($0.part, in: name) }) { return part.kind }
    return ends(name, with: identifier) ? .identifier : nil
  }

  private static let code = Array("code".utf8)
  private static let state = Array("state".utf8)
  private static let identifier = Array("identifier".utf8)
  private static let codeNames = ["otp", "pin", "passcode", "logincode", "onetimecode", "verificationcode", "magiccode"]
    .map { Array($0.utf8) }
  private static let harmlessEndings = ["type", "expiresin", "expiresat", "expiry", "length", "count", "enabled", "verified"]
    .map { Array($0.utf8) }

  /// Byte by byte: a search for a string makes tables that cost more than the names are long.
  private static func has(_ part: [UInt8], in name: [UInt8]) -> Bool {
    guard let first = part.first, name.count >= part.count else { return false }
    for start in 0...(name.count - part.count) where name[start] == first {
      if name[start..<(start + part.count)].elementsEqual(part) { return true }
    }
    return false
  }

  private static func ends(_ name: [UInt8], with ending: [UInt8]) -> Bool {
    name.count >= ending.count && name.suffix(ending.count).elementsEqual(ending)
  }

  /// Parts of names, the first that fits decides.
  private static let parts: [(part: [UInt8], kind: SecretKind)] =
    ([
      ("magiclink", .link), ("loginlink", .link), ("token", .token), ("jwt", .token), ("bearer", .token), ("password", .key),
      ("passwd", .key), ("passphrase", .key), ("secret", .key), ("credential", .key), ("apikey", .key), ("apiid", .key),
      ("privatekey", .key), ("devicekey", .key), ("idempotencykey", .key), ("accesskey", .key), ("authorization", .key),
      ("cookie", .key), ("verifier", .key), ("csrf", .key), ("signature", .signature), ("email", .email), ("phone", .phone),
      ("msisdn", .phone), ("mobile", .phone), ("deviceid", .identifier),
    ] as [(String, SecretKind)]).map { (part: Array($0.0.utf8), kind: $0.1) }

  /// Whether a name only speaks about a secret: its type, length or end of life.
  static func isHarmless(_ name: String) -> Bool { isHarmless(normalized(name)) }

  private static func isHarmless(_ name: [UInt8]) -> Bool { harmlessEndings.contains { ends(name, with: $0) } }

  /// Letters and digits in lower case, so that `accessToken`, `access_token` and `Access-Token` are one name.
  private static func normalized(_ name: String) -> [UInt8] {
    name.utf8.filter(SecretShapes.isAlphanumeric).map(SecretNeedle.lowercased)
  }

  /// Whether a value is a login code rather than the code of an error: four to eight digits.
  static func isCode(_ value: some Collection<UInt8>) -> Bool {
    (4...8).contains(value.count) && value.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}
