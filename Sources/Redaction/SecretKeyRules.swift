import Text

/// Decides which names of JSON members, query items and parts of forms indicate a secret; ignores case and separators.
///
/// The rules are data: to mask another name, add a line to ``table`` or ``SecretNameWords/table``.
struct SecretKeyRules: Sendable {
  /// A rule: a text, where it must occur in a name, and the kind of the value.
  private struct Rule {
    enum Place {
      case whole, part, ending
      /// The whole name, only in authentication calls, because errors, languages and states use such names too.
      case wholeInAuthentication
      /// The whole name, in requests of a sign-in.
      case wholeInSignIn
      /// A part of a name with characters beyond ASCII, by its letters.
      case partInAnyScript
      /// Words of the name that follow each other; the value decides as well.
      case words
    }
    let text: [UInt8]
    let kind: SecretKind
    let place: Place
  }

  private let rules: [Rule]
  /// The letters and kinds of the rules for names beyond ASCII.
  private let otherScripts: [(letters: String, kind: SecretKind)]
  private let words: SecretNameWords
  /// The additional names that the user wants masked.
  private let masked: MaskedNames

  /// All rules except the named one, and names that the user wants masked.
  init(leavingOut name: String? = nil, masking masked: [MaskedName] = []) {
    self.masked = MaskedNames(masked)
    let kept = Self.table.filter { Self.name(of: $0) != name }
    rules = kept.filter { $0.place != .words && $0.place != .partInAnyScript }
    otherScripts = kept.filter { $0.place == .partInAnyScript }.map {
      (Self.letters(of: String(decoding: $0.text, as: UTF8.self)), $0.kind)
    }
    words = SecretNameWords(kept.filter { $0.place == .words }.map { (String(decoding: $0.text, as: UTF8.self), $0.kind) })
  }

  /// The names of all rules. `otp` and `pin` are two rules each: always a secret as a whole name, by the value in a longer one.
  static let names = Set(table.map(name(of:))).sorted()

  private static func name(of rule: Rule) -> String { "key." + String(decoding: rule.text, as: UTF8.self) }

  /// A name's indication about its value.
  struct Verdict {
    /// The kind to mask the value as; nil if the name indicates no secret, or a harmless value.
    var kind: SecretKind?
    /// Whether the name describes a secret, such as its type, length or expiry.
    var isHarmless = false
    /// Whether the name is `code`, which errors have too.
    var isCode = false
    /// The form of the masked values, if the name also has harmless ones: a state, a choice, an object of facts. Nil if all are masked.
    var values: SecretNameWords.Values?
    /// Whether the name also has harmless values.
    var isUsedForOtherValues: Bool { values != nil }

    /// Whether a text or number of this name is masked.
    func masks(_ value: some Collection<UInt8>) -> Bool {
      guard kind != nil else { return false }
      if isCode { return SecretKeyRules.isCode(value) }
      return values.map { SecretNameWords.isSecret(value, among: $0) } ?? true
    }
  }

  /// Returns a name's indication.
  func verdict(ofName name: some Sequence<UInt8>, context: MaskContext) -> Verdict {
    if isMasked(name) { return Verdict(kind: .value) }
    let normalized = Self.normalized(name)
    var verdict = Verdict(isHarmless: Self.isHarmless(normalized), isCode: normalized == Self.code)
    if verdict.isHarmless { return verdict }
    verdict.kind = kind(ofNormalized: normalized, context: context) ?? kind(inOtherScript: name)
    if verdict.kind == nil, let found = words.indication(of: name, normalized: normalized) {
      verdict.kind = found.kind
      verdict.values = found.values
    }
    return verdict
  }

  /// Whether the user wants the values of a name masked.
  func isMasked(_ name: some Sequence<UInt8>) -> Bool {
    !masked.isEmpty && masked.contain(name)
  }

  /// Whether the user wants the values of any names masked.
  var masksNames: Bool { !masked.isEmpty }

  /// Returns the indication of a text that names an adjacent value: a name, or a caption whose last words describe the value
  /// (`New password`, `spring.datasource.password`; not `Phone case`).
  func verdict(ofCaption text: [UInt8], context: MaskContext) -> Verdict {
    let verdict = verdict(ofName: text, context: context)
    // `Email: work`
    let parts = text.prefix { $0 != UInt8(ascii: ":") }.split { " ./#".utf8.contains($0) }
    guard verdict.kind != nil, !parts.isEmpty, parts.count > 1 || text.contains(UInt8(ascii: ":")), !isMasked(text) else {
      return verdict
    }
    // `Password 2`, `access_token.v2`, `Password (again)`, `db.password.prod`
    var words = parts[...]
    while let last = words.last, words.count > 1, Self.isAddition(last) { words.removeLast() }
    var tail = words.suffix(1)
    while let first = tail.first, tail.count < words.count, Self.ofAnything.contains(Self.normalized(first)) {
      tail = words.suffix(tail.count + 1)
    }
    let found = self.verdict(ofName: Array(tail.joined(separator: " ".utf8)), context: context)
    if found.kind != nil { return found }
    // The last word belongs to the rule if the other words indicate no secret: `Recovery codes`, `Magic link`.
    let before = self.verdict(ofName: Array(words.dropLast().joined(separator: " ".utf8)), context: context)
    return before.kind == nil ? verdict : found
  }

  /// Last words of captions after which the word before them describes the value.
  private static let ofAnything = Set(
    ["address", "code", "codes", "id", "ids", "key", "keys", "number", "numbers", "value", "text"].map { Array($0.utf8) })

  /// Whether a part of a caption only adds to the words before it: a number, a version, a remark in brackets, or a word such as `new`.
  private static func isAddition(_ part: ArraySlice<UInt8>) -> Bool {
    let letters = part.filter { ASCII.isAlphanumeric($0) && !ASCII.isDigit($0) }
    return letters.isEmpty || part.first == UInt8(ascii: "(") || part.last == UInt8(ascii: ")")
      || SecretNameWords.isVersion(Array(part)) || additions.contains(normalized(part))
  }

  private static let additions = Set(
    [
      "again", "ci", "confirm", "current", "default", "dev", "header", "last", "list", "local", "new", "old", "prod",
      "production",
      "repeat", "stage", "staging", "test",
    ].map { Array($0.utf8) })

  private func kind(ofNormalized name: [UInt8], context: MaskContext) -> SecretKind? {
    for rule in rules {
      let fits =
        switch rule.place {
        case .whole: rule.text == name
        case .wholeInAuthentication: context == .authentication && rule.text == name
        case .wholeInSignIn: context != .general && rule.text == name
        case .part: Self.has(rule.text, in: name)
        case .ending: Self.ends(name, with: rule.text)
        case .words, .partInAnyScript: false
        }
      if fits { return rule.kind }
    }
    return nil
  }

  /// The kind of a name with characters beyond ASCII.
  private func kind(inOtherScript name: some Sequence<UInt8>) -> SecretKind? {
    guard !otherScripts.isEmpty, name.contains(where: { $0 >= 0x80 }) else { return nil }
    let letters = Self.letters(of: String(decoding: Array(name.prefix(256)), as: UTF8.self))
    return otherScripts.first { letters.contains($0.letters) }?.kind
  }

  /// The letters of a text in lower case. Their comparison ignores how letters with marks are composed.
  private static func letters(of text: String) -> String { text.lowercased().filter(\.isLetter) }

  /// The first match decides.
  private static let table: [Rule] =
    rules([("code", .code)], .wholeInSignIn) + rules([("state", .token)], .wholeInAuthentication)
    + rules(
      [
        "passcode", "logincode", "onetimecode", "verificationcode", "magiccode", "confirmationcode", "authcode", "otp", "pin",
      ]
      .map { ($0, .code) }, .whole)
    + rules(
      [
        ("magiclink", .link), ("loginlink", .link), ("token", .token), ("jwt", .token), ("bearer", .token),
        ("password", .key), ("passwd", .key), ("passphrase", .key), ("secret", .key),
        ("credential", .key), ("apikey", .key), ("apiid", .key), ("privatekey", .key), ("devicekey", .key),
        ("idempotencykey", .key), ("accesskey", .key), ("authorization", .key), ("cookie", .key), ("verifier", .key),
        ("csrf", .key), ("xsrf", .key), ("signature", .signature), ("email", .email), ("phone", .phone), ("msisdn", .phone),
        ("mobile", .phone), ("deviceid", .identifier), ("cardnumber", .card),
        // "Password" in German, French, Spanish, Dutch, Swedish, Norwegian, Danish, Finnish, and in Croatian and Serbian.
        ("passwort", .key), ("kennwort", .key), ("motdepasse", .key), ("contrasena", .key), ("wachtwoord", .key),
        ("losenord", .key), ("passord", .key), ("adgangskode", .key), ("salasana", .key), ("lozinka", .key),
      ], .part)
    + rules(
      [
        // "Password" in Spanish, Polish, Japanese, Hebrew, Arabic, Russian and Ukrainian, Chinese, Korean, Swedish, Turkish, Hungarian,
        // Bulgarian, Serbian, Greek, Vietnamese, Thai, Hindi and Persian.
        "contraseña", "hasło", "パスワード", "暗証番号", "סיסמה", "סיסמא", "كلمة المرور", "كلمة السر", "пароль", "密码", "密碼", "口令",
        "비밀번호", "lösenord", "şifre", "jelszó", "парола", "лозинка", "κωδικός πρόσβασης", "συνθηματικό", "mật khẩu", "รหัสผ่าน",
        "पासवर्ड", "رمز عبور", "گذرواژه",
      ].map { ($0, .key) }, .partInAnyScript)
    + rules(["токен", "トークン", "令牌", "토큰", "אסימון"].map { ($0, .token) }, .partInAnyScript)
    + rules(["验证码", "驗證碼", "認証コード", "確認コード", "인증번호", "인증코드"].map { ($0, .code) }, .partInAnyScript)
    + rules([("identifier", .identifier)], .ending) + rules(SecretNameWords.table, .words)

  private static func rules(_ rules: [(String, SecretKind)], _ place: Rule.Place) -> [Rule] {
    rules.map { Rule(text: Array($0.0.utf8), kind: $0.1, place: place) }
  }

  private static let harmlessEndings = ["type", "expiresin", "expiresat", "expiry", "length", "count", "enabled", "verified"]
    .map { Array($0.utf8) }

  private static let code = Array("code".utf8)

  /// Compares bytes, because a string search sets up tables, which cost more than the comparison of a short name.
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

  /// Whether the value of a name may be read in a response that contains tokens: whole names of errors, waits, dates and
  /// languages. An ending is not enough: `account` ends like a count.
  static func isReadable(name: some Sequence<UInt8>) -> Bool {
    readable.contains(normalized(name))
  }

  private static let readable = Set(
    [
      "code", "error", "title", "status", "detail", "message", "reason", "requestid", "retryafter", "retryafterseconds",
      "cooldownseconds", "expiresinseconds", "languagecode", "locale", "createdat", "updatedat", "servertime", "scheduledfor",
      "tokentype", "expiresin", "expiresat", "refreshexpiresin", "refreshexpiresat", "refreshtokenexpiresin",
      "refreshtokenexpiresat", "accesstokenexpiresin", "accesstokenexpiresat", "codelength", "attemptsleft",
    ].map { Array($0.utf8) })

  /// Keeps letters and digits in lower case, so that `accessToken`, `access_token` and `Access-Token` are equal.
  private static func normalized(_ name: some Sequence<UInt8>) -> [UInt8] {
    var normalized: [UInt8] = []
    normalized.reserveCapacity(name.underestimatedCount)
    for byte in name where ASCII.isAlphanumeric(byte) { normalized.append(ASCII.lowercased(byte)) }
    return normalized
  }

  /// Whether a value is a login code and not an error code: four to eight digits, possibly in groups.
  static func isCode(_ value: some Collection<UInt8>) -> Bool {
    guard (4...15).contains(value.count) else { return false }
    let bytes = Array(value)
    let digits = DecodedView(bytes, keepsOffsets: false).withoutDigitSeparators()?.bytes ?? bytes
    return (4...8).contains(digits.count) && digits.allSatisfy(ASCII.isDigit)
  }
}
