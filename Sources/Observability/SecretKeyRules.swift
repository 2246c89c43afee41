/// Which names of members and query items announce a secret; case and separators do not matter.
enum SecretKeyRules {
  /// What the value of a name has to be masked as; nil where the name says nothing, or says that the value is harmless.
  static func kind(ofName name: String, context: MaskContext) -> SecretKind? {
    let name = normalized(name)
    if isHarmless(name) { return nil }
    if name == "code" || name == "state" {
      // Errors, languages and states of other things go by these names too.
      guard context == .authentication else { return nil }
      return name == "code" ? .code : .token
    }
    if ["otp", "pin", "passcode", "logincode", "onetimecode", "verificationcode", "magiccode"].contains(name) { return .code }
    if let part = parts.first(where: { name.contains($0.part) }) { return part.kind }
    return name == "identifier" || name.hasSuffix("identifier") ? .identifier : nil
  }

  /// Parts of names, the first that fits decides.
  private static let parts: [(part: String, kind: SecretKind)] = [
    ("magiclink", .link), ("loginlink", .link), ("token", .token), ("jwt", .token), ("bearer", .token), ("password", .key),
    ("passwd", .key), ("passphrase", .key), ("secret", .key), ("credential", .key), ("apikey", .key), ("apiid", .key),
    ("privatekey", .key), ("devicekey", .key), ("idempotencykey", .key), ("accesskey", .key), ("authorization", .key),
    ("cookie", .key), ("verifier", .key), ("csrf", .key), ("signature", .signature), ("email", .email), ("phone", .phone),
    ("msisdn", .phone), ("mobile", .phone), ("deviceid", .identifier),
  ]

  /// Whether a name only speaks about a secret: its type, length or end of life.
  static func isHarmless(_ name: String) -> Bool {
    let name = normalized(name)
    return ["type", "expiresin", "expiresat", "expiry", "length", "count", "enabled", "verified"].contains { name.hasSuffix($0) }
  }

  /// Letters and digits in lower case, so that `accessToken`, `access_token` and `Access-Token` are one name.
  private static func normalized(_ name: String) -> String {
    String(decoding: name.utf8.filter(SecretShapes.isAlphanumeric).map(SecretNeedle.lowercased), as: UTF8.self)
  }

  /// Whether a value is a login code rather than the code of an error: four to eight digits.
  static func isCode(_ value: some Collection<UInt8>) -> Bool {
    (4...8).contains(value.count) && value.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}
