/// Which names of members and query items announce a secret; case and separators do not matter.
struct SecretKeyRules: Sendable {
  /// A rule: where a text has to stand in a name, and what the value then is.
  private struct Rule {
    enum Place {
      case whole, part, ending
      /// The whole name, in authentication calls alone: errors, languages and states of other things go by it too.
      case wholeInAuthentication
    }
    let text: [UInt8]
    let kind: SecretKind
    let place: Place
  }

  private let rules: [Rule]

  /// The rules but for the named one.
  init(leavingOut name: String? = nil) {
    rules = Self.table.filter { Self.name(of: $0) != name }
  }

  /// The name of each rule.
  static let names = table.map(name(of:))

  private static func name(of rule: Rule) -> String { "key." + String(decoding: rule.text, as: UTF8.self) }

  /// What a name says of its value.
  struct Verdict {
    /// What the value has to be masked as; nil where the name says nothing, or that the value is harmless.
    var kind: SecretKind?
    /// Whether the name only speaks about a secret: its type, length or end of life.
    var isHarmless = false
    /// Whether the name is `code`, which errors have too.
    var isCode = false
  }

  /// What a name says.
  func verdict(ofName name: some Sequence<UInt8>, context: MaskContext) -> Verdict {
    let name = Self.normalized(name)
    var verdict = Verdict(isHarmless: Self.isHarmless(name), isCode: name == Self.code)
    if !verdict.isHarmless { verdict.kind = kind(ofNormalized: name, context: context) }
    return verdict
  }

  /// What the value of a name has to be masked as; nil where the name says nothing, or says that the value is harmless.
  func kind(ofName name: some Sequence<UInt8>, context: MaskContext) -> SecretKind? {
    verdict(ofName: name, context: context).kind
  }

  private func kind(ofNormalized name: [UInt8], context: MaskContext) -> SecretKind? {
    for rule in rules {
      let fits =
        switch rule.place {
        case .whole: rule.text == name
        case .wholeInAuthentication: context == .authentication && rule.text == name
        case .part: Self.has(rule.text, in: name)
        case .ending: Self.ends(name, with: rule.text)
        }
      if fits { return rule.kind }
    }
    return nil
  }

  /// What the value of a name has to be masked as.
  func kind(ofName name: String, context: MaskContext) -> SecretKind? { kind(ofName: name.utf8, context: context) }

  /// The first that fits decides.
  private static let table: [Rule] =
    rules([("code", .code), ("state", .token)], .wholeInAuthentication)
    + rules(
      ["otp", "pin", "passcode", "logincode", "onetimecode", "verificationcode", "magiccode", "confirmationcode", "authcode"]
        .map { ($0, .code) }, .whole)
    + rules(
      [
        ("magiclink", .link), ("loginlink", .link), ("token", .token), ("jwt", .token), ("bearer", .token),
        ("password", .key), ("passwd", .key), ("passphrase", .key), ("secret", .key),
        ("credential", .key), ("apikey", .key), ("apiid", .key), ("privatekey", .key), ("devicekey", .key),
        ("idempotencykey", .key), ("accesskey", .key), ("authorization", .key), ("cookie", .key), ("verifier", .key),
        ("csrf", .key), ("xsrf", .key), ("signature", .signature), ("email", .email), ("phone", .phone), ("msisdn", .phone),
        ("mobile", .phone), ("deviceid", .identifier), ("cardnumber", .card),
      ], .part)
    + rules([("identifier", .identifier)], .ending)

  private static func rules(_ rules: [(String, SecretKind)], _ place: Rule.Place) -> [Rule] {
    rules.map { Rule(text: Array($0.0.utf8), kind: $0.1, place: place) }
  }

  private static let harmlessEndings = ["type", "expiresin", "expiresat", "expiry", "length", "count", "enabled", "verified"]
    .map { Array($0.utf8) }

  private static let code = Array("code".utf8)

  /// Byte by byte: a search for a string makes tables that cost more than the names are long.
  private static func has(_ part: [UInt8], in name: [UInt8]) -> Bool {
    guard let first = part.first, name.count >= part.count else { return false }
    for start in 0...(name.count - part.count) where name[start] == first {
      var length = 1
      while length < part.count, name[start + length] == part[length] { length += 1 }
      if length == part.count { return true }
    }
    return false
  }

  private static func ends(_ name: [UInt8], with ending: [UInt8]) -> Bool {
    name.count >= ending.count && name.suffix(ending.count).elementsEqual(ending)
  }

  private static func isHarmless(_ name: [UInt8]) -> Bool { harmlessEndings.contains { ends(name, with: $0) } }

  /// Letters and digits in lower case, so that `accessToken`, `access_token` and `Access-Token` are one name.
  private static func normalized(_ name: some Sequence<UInt8>) -> [UInt8] {
    var normalized: [UInt8] = []
    normalized.reserveCapacity(name.underestimatedCount)
    for byte in name where SecretShapes.isAlphanumeric(byte) { normalized.append(SecretNeedle.lowercased(byte)) }
    return normalized
  }

  /// Whether a value is a login code rather than the code of an error: four to eight digits, in groups or not.
  static func isCode(_ value: some Collection<UInt8>) -> Bool {
    guard (4...15).contains(value.count) else { return false }
    let bytes = Array(value)
    let digits = DecodedView(bytes, keepsOffsets: false).withoutDigitSeparators()?.bytes ?? bytes
    return (4...8).contains(digits.count) && digits.allSatisfy(SecretShapes.isDigit)
  }
}
