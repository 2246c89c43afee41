import Text

/// Secrets in sentences for people: `Your code is 483021`, `The password is …`.
enum SecretSentences {
  /// The words for a code in letters of ASCII, in lower case.
  private static let codeWords = Set(
    ["code", "codice", "codigo", "kod", "kode", "kodu", "koodi", "otp", "passcode", "pin"].map { Array($0.utf8) })
  /// The words for a code that say without others that a code follows.
  private static let strongWords = Set(["otp", "passcode"].map { Array($0.utf8) })
  /// The words for a code with letters beyond ASCII: in Spanish and Portuguese, Russian, Japanese, Chinese, Korean, Hebrew, Arabic, Hindi
  /// and Thai.
  private static let foreignWords = [
    "código", "Código", "CÓDIGO", "код", "Код", "КОД", "コード", "認証番号", "確認番号", "证码", "證碼", "校验码", "动态码", "인증번호", "코드", "קוד",
    "رمز", "كود",
    "कोड", "รหัส",
  ].map { Array($0.utf8) }
  /// Words with letters beyond ASCII after which a code is that of an error.
  private static let foreignErrors = [
    "エラー", "ошибк", "Ошибк", "错误", "錯誤", "오류", "שגיאה", "خطأ",
  ].map { Array($0.utf8) }

  /// Words that say whose code it is, or what for.
  private static let qualifiers = Set(
    [
      "auth", "authentication", "confirmation", "dein", "deinen", "enter", "ihr", "ihren", "login", "otp", "passcode", "security",
      "sign", "signin", "sms", "su", "tu", "twoj", "verification", "votre", "your",
    ].map { Array($0.utf8) })
  /// Words for which the code beside them is no secret.
  private static let others = Set(
    [
      "airport", "area", "ascii", "bank", "bar", "byte", "calling", "char", "city", "color", "colour", "coupon", "country",
      "currency",
      "customer", "diagnostic", "dial", "dialing", "discount", "err", "error", "event", "exception", "exit", "failure", "fault",
      "http",
      "https", "internal", "item", "key", "lang", "language", "message", "op", "order", "post", "postal", "product", "promo",
      "promotion", "qr", "reason", "response", "result", "return", "signal", "sort", "source", "sql", "sqlstate", "state",
      "station",
      "status", "swift", "tax", "tracking", "vendor", "zip",
    ].map { Array($0.utf8) })
  /// Words that end with `code` and are no login codes.
  private static let otherCodes = Set(
    [
      "areacode", "barcode", "bytecode", "countrycode", "decode", "discountcode", "encode", "errorcode", "exitcode", "geocode",
      "keycode", "leetcode", "opcode", "postcode", "promocode", "qrcode", "returncode", "sourcecode", "statuscode", "transcode",
      "unicode", "vscode",
      "zipcode",
    ].map { Array($0.utf8) })
  /// Verbs between a name and its value.
  private static let verbs = Set(["es", "est", "ist", "is", "jest", "lautet", "to"].map { Array($0.utf8) })

  /// A mention of a code.
  private struct Mention {
    let range: Range<Int>
    /// Whether the words before say that it is a login code.
    var isQualified = false
    var isStrong = false
  }

  /// The greatest distance between a word for a code and its digits, in bytes.
  private static let distance = 60
  /// The most mentions of a code in a text that are compared with its numbers.
  private static let mentionLimit = 16

  /// The digits of login codes in a text that need not belong to a sign-in.
  static func codes(in bytes: [UInt8]) -> [(range: Range<Int>, kind: SecretKind)] {
    let mentions = mentions(in: bytes)
    guard !mentions.isEmpty else { return [] }
    let numbers = SecretShapes.digits(in: bytes).words
    return numbers.filter { number in
      !SecretNameWords.isDate(Array(bytes[number])) && mentions.contains { isCode(number, of: $0, in: bytes) }
    }.map { ($0, .code) }
  }

  /// Whether a text has a word for a code with letters beyond ASCII.
  static func speaksOfCode(_ bytes: [UInt8]) -> Bool {
    bytes.contains { $0 >= 0x80 } && foreignWords.contains { bytes.firstRange(of: $0) != nil }
  }

  private static func isCode(_ number: Range<Int>, of mention: Mention, in bytes: [UInt8]) -> Bool {
    let isBehind = number.lowerBound >= mention.range.upperBound
    let gap =
      isBehind
      ? mention.range.upperBound..<number.lowerBound : number.upperBound..<max(number.upperBound, mention.range.lowerBound)
    guard isBehind || number.upperBound <= mention.range.lowerBound, gap.count <= distance else { return false }
    if mention.isQualified { return true }
    guard isBehind else { return false }
    let words = words(in: bytes, gap)
    return words.allSatisfy { verbs.contains($0) } && (mention.isStrong || !words.isEmpty)
  }

  /// The words of ASCII letters and digits in a range, in lower case.
  private static func words(in bytes: [UInt8], _ range: Range<Int>) -> [[UInt8]] {
    bytes[range].split { !ASCII.isAlphanumeric($0) }.map { $0.map(ASCII.lowercased) }
  }

  private static func mentions(in bytes: [UInt8]) -> [Mention] {
    var found: [Mention] = []
    /// The last words before the current one, the newest last.
    var before: [[UInt8]] = []
    var index = 0
    while index < bytes.count, found.count < mentionLimit {
      guard ASCII.isAlphanumeric(bytes[index]) else {
        index += 1
        continue
      }
      let start = index
      index = SecretShapes.end(of: start, in: bytes, while: ASCII.isAlphanumeric)
      let word = index - start <= 24 ? bytes[start..<index].map(ASCII.lowercased) : []
      // The shortest words count beside a blank only, so that the precheck sees them.
      let isLong =
        word.count >= 4 || start > 0 && bytes[start - 1] == 0x20 || index < bytes.count && " :=".utf8.contains(bytes[index])
      let isCode =
        codeWords.contains(word) || word.count > 5 && word.suffix(4).elementsEqual("code".utf8) && !otherCodes.contains(word)
      if isLong, isCode, before.last.map({ !others.contains($0) }) ?? true {
        found.append(
          Mention(
            range: start..<index,
            isQualified: before.suffix(3).contains(where: qualifiers.contains) || word.count > 5 && !codeWords.contains(word),
            isStrong: strongWords.contains(word)))
      }
      before.append(word)
      if before.count > 3 { before.removeFirst() }
    }
    guard bytes.contains(where: { $0 >= 0x80 }), !foreignErrors.contains(where: { bytes.firstRange(of: $0) != nil }) else {
      return found
    }
    for word in foreignWords {
      if let range = bytes.firstRange(of: word) { found.append(Mention(range: range, isQualified: false, isStrong: true)) }
    }
    return found
  }

  /// The values with digits behind a telling name and `is`: `The new token is Zq483021`.
  static func values(
    in bytes: [UInt8], keys: SecretKeyRules, context: MaskContext
  ) -> [(range: Range<Int>, kind: SecretKind)] {
    var found: [(range: Range<Int>, kind: SecretKind)] = []
    var index = 0
    while index + 4 < bytes.count {
      guard bytes[index] == 0x20, bytes[index + 1] | 0x20 == UInt8(ascii: "i"), bytes[index + 2] | 0x20 == UInt8(ascii: "s"),
        bytes[index + 3] == 0x20 || bytes[index + 3] == UInt8(ascii: ":")
      else {
        index += 1
        continue
      }
      defer { index += 3 }
      var start = index
      while start > 0, index - start < 40, ASCII.isAlphanumeric(bytes[start - 1]) || "_-".utf8.contains(bytes[start - 1]) {
        start -= 1
      }
      let verdict = keys.verdict(ofName: bytes[start..<index], context: context)
      guard let kind = verdict.kind, !verdict.isCode, !verdict.isUsedForOtherValues, [.token, .key, .signature].contains(kind)
      else {
        continue
      }
      var value = index + 3
      while value < bytes.count, value < index + 8, " :\"'`\\".utf8.contains(bytes[value]) { value += 1 }
      var end = value
      while end < bytes.count, end < value + 4096, !" \t\r\n\"'`\\,;<>(){}[]".utf8.contains(bytes[end]) { end += 1 }
      while end > value, ".:!?".utf8.contains(bytes[end - 1]) { end -= 1 }
      let secret = bytes[value..<end]
      if secret.count >= 6, secret.contains(where: ASCII.isDigit), SecretNameWords.isSecret(secret, among: .tokens) {
        found.append((value..<end, kind))
      }
    }
    return found
  }
}

extension SecretSentences {
  /// What ``SecretPrecheck`` has seen of a sentence.
  struct Clues {
    /// Whether there is a word for a code.
    private(set) var saysCode = false
    /// Whether there is an `is` behind another word.
    private(set) var saysIs = false

    /// Notes four bytes, in lower case if they are of ASCII; false if they are no clue.
    mutating func add(_ window: UInt32) -> Bool {
      guard let isCode = windows[window] else { return false }
      if isCode { saysCode = true } else { saysIs = true }
      return true
    }
  }

  /// Four bytes of each word for a code, with a blank at the shortest ones, and of `is`; true for a code.
  private static let windows: [UInt32: Bool] = {
    func window(_ bytes: some Sequence<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }
    let blank = [UInt8(0x20)]
    var windows = [window(" is ".utf8): false, window(" is:".utf8): false]
    for word in codeWords {
      for bytes in word.count > 3 ? [Array(word.suffix(4))] : [blank + word, word + blank] { windows[window(bytes)] = true }
    }
    for word in foreignWords { windows[window(word.suffix(4))] = true }
    return windows
  }()

  /// The clues by their hash, as ``IssuerTokens/marks`` are.
  static let marks: [Bool] = {
    var marks = [Bool](repeating: false, count: 1 << 16)
    for window in windows.keys { marks[IssuerTokens.mark(of: window)] = true }
    return marks
  }()
}
