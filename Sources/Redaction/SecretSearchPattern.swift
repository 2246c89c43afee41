import Text

/// A byte string to search for, because it reveals a secret.
package struct SecretSearchPattern: Sendable {
  /// The shortest pattern in bytes; shorter ones would match everywhere.
  static let minimumLength = 4
  /// The shortest beginning in bytes that counts as the truncated value.
  private static let minimumCut = 12

  /// The bytes, in lower case if case is ignored; the digits' values if `folding` is set.
  let bytes: [UInt8]
  /// Compares encoded letters ignoring case; nil to compare bytes.
  var folding: SecretFolding?
  /// The secret's kind.
  let kind: SecretKind
  /// The secret as registered, for its tag.
  let value: String
  /// Whether adjacent letters or digits prevent a match.
  let isWholeToken: Bool
  /// Whether adjacent digits prevent a match.
  var isWholeNumber = false
  /// Whether its value is too short to count in any other form.
  var isShort = false
  /// Whether ASCII letters match in either case.
  let ignoresCase: Bool
  /// Whether it is Base64, so that the digits next to it may contain bits of the secret.
  let isBase64: Bool
  /// The number of bytes that suffice for a match.
  let leastLength: Int

  /// All spellings of the first four bytes, in lower case.
  var prefixes: Set<UInt32> {
    folding?.prefixes(of: bytes) ?? [bytes.prefix(4).reduce(0) { $0 << 8 | UInt32(ASCII.lowercased($1)) }]
  }

  /// The patterns of a secret: the value, its hexadecimal form, and both Base64 alphabets at all three alignments.
  ///
  /// Percent-encoding and JSON escapes need none, because texts are decoded before they are searched. `spelling` is a form of the
  /// value that differs from the registered one.
  static func all(
    of value: String, kind: SecretKind, forms: SecretForms = .all, spelling: String? = nil
  ) -> [SecretSearchPattern] {
    let bytes = Array((spelling ?? value).utf8)
    let isPersonal = kind.isPersonal
    let ignoresCase = isPersonal && forms.contains(.eitherCase)
    let canBeCut = forms.contains(.cut) && (kind == .token || kind == .key || kind == .signature)
    var patterns: [SecretSearchPattern] = []
    var seen: Set<[UInt8]> = []
    func add(
      _ bytes: [UInt8], ignoresCase: Bool = false, isBase64: Bool = false, isWholeNumber: Bool = false,
      folding: SecretFolding? = nil
    ) {
      let bytes = ignoresCase ? bytes.map(ASCII.lowercased) : bytes
      guard bytes.count >= minimumLength, seen.insert(bytes + (folding.map { $0.masks } ?? [])).inserted else { return }
      patterns.append(
        SecretSearchPattern(
          bytes: bytes, folding: folding, kind: kind, value: value, isWholeToken: kind == .code && !isBase64,
          isWholeNumber: isWholeNumber, ignoresCase: ignoresCase, isBase64: isBase64,
          leastLength: canBeCut ? min(bytes.count, minimumCut) : bytes.count))
    }
    if forms.contains(.value) { add(bytes, ignoresCase: ignoresCase) }
    let parts = forms.contains(.tokenPart) ? parts(of: bytes) : []
    for part in parts { add(part) }
    var written = [bytes] + parts
    // Find a number by its digits too, as `+49…` may be written `0049…` or `tel:49…`.
    if forms.contains(.digits), bytes.first == UInt8(ascii: "+"), bytes.count >= 8 {
      let digits = bytes.filter(ASCII.isDigit)
      add(digits, isWholeNumber: true)
      written.append(digits)
    }
    if isPersonal, forms.contains(.base32) {
      for form in written {
        for alignment in 0..<5 {
          let digits = SecretFolding.base32(of: form, after: alignment, ignoresCase: ignoresCase)
          add(digits.digits, isBase64: true, folding: digits.folding)
        }
      }
    }
    if forms.contains(.words) { for words in inWords(bytes) { add(words, ignoresCase: ignoresCase) } }
    if forms.contains(.percentWithin) {
      written += ["-._~", "-._~@", "-_.!~*'()", ""].map { Array(percentEncoded(bytes, leaving: $0).utf8) }
    }
    for form in written {
      if forms.contains(.hexadecimal) {
        if ignoresCase {
          add(SecretFolding.hexadecimal(of: form), folding: SecretFolding.hexadecimal(masksOf: form))
        } else {
          add(Array(Hex.encode(form).utf8), ignoresCase: true)
        }
      }
      for (alignment, rule) in [SecretForms.base64, .base64AfterOne, .base64AfterTwo].enumerated() where forms.contains(rule) {
        if ignoresCase {
          let folding = SecretFolding.base64(masksOf: form, after: alignment, takesURLDigits: forms.contains(.base64URL))
          add(SecretFolding.base64(of: form, after: alignment), isBase64: true, folding: folding)
          continue
        }
        let core = base64Core(of: form, after: alignment)
        add(core, isBase64: true)
        if forms.contains(.base64URL) { add(core.map(urlDigit), isBase64: true) }
      }
    }
    return patterns
  }

  /// The patterns of a value that is too short, or too common a word, to be searched for in every form: as it is, and only as a whole
  /// word. None for fewer than four characters, for common words, and for digits alone, which dates and lengths have too. Names count in
  /// upper and lower case.
  static func words(of value: String, kind: SecretKind) -> [SecretSearchPattern] {
    guard value.count >= minimumLength, !CommonWords.contains(value), !value.utf8.allSatisfy(ASCII.isDigit) else { return [] }
    var spellings: Set<String> = [value]
    // Without an accent, letters are already compared in either case.
    if kind.isPersonal, !value.utf8.allSatisfy({ $0 < 0x80 }) {
      let lower = value.lowercased()
      spellings.formUnion([lower, value.uppercased(), lower.prefix(1).uppercased() + lower.dropFirst()])
    }
    return spellings.map { spelling in
      let bytes = spelling.utf8.map { kind.isPersonal ? ASCII.lowercased($0) : $0 }
      return SecretSearchPattern(
        bytes: bytes, kind: kind, value: value, isWholeToken: true, isShort: true, ignoresCase: kind.isPersonal, isBase64: false,
        leastLength: bytes.count)
    }
  }

  /// The claims and the signature of a JSON Web Token; its header is not secret.
  private static func parts(of bytes: [UInt8]) -> [[UInt8]] {
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, bytes.starts(with: "eyJ".utf8) else { return [] }
    return parts.dropFirst().filter { $0.count >= minimumCut }.map(Array.init)
  }

  /// An email address with words in place of `@` and of the dots of the domain.
  private static func inWords(_ address: [UInt8]) -> [[UInt8]] {
    guard let sign = address.lastIndex(of: UInt8(ascii: "@")) else { return [] }
    let name = address[..<sign]
    let domain = address[(sign + 1)...]
    let signs = [(" at ", " dot "), ("(at)", "(dot)"), (" (at) ", " (dot) "), ("[at]", "[dot]"), (" [at] ", " [dot] ")]
    let labels = domain.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return signs.flatMap { at, dot in
      [".", dot].map { dot in Array(name) + Array(at.utf8) + Array(labels.joined(separator: Array(dot.utf8))) }
    }
  }

  private static func urlDigit(_ byte: UInt8) -> UInt8 {
    byte == UInt8(ascii: "+") ? UInt8(ascii: "-") : byte == UInt8(ascii: "/") ? UInt8(ascii: "_") : byte
  }

  /// The Base64 digits that depend only on `bytes`, if `prefix` bytes precede them in their group.
  static func base64Core(of bytes: [UInt8], after prefix: Int) -> [UInt8] {
    let text = Array(Base64.encode([UInt8](repeating: 0, count: prefix) + bytes).utf8)
    let first = (prefix * 8 + 5) / 6
    let end = (prefix + bytes.count) * 8 / 6
    return first < end ? Array(text[first..<end]) : []
  }

  /// Percent-encodes everything except letters, digits and `marks`: RFC 3986 keeps `-._~`, browsers keep more, some encoders
  /// none.
  private static func percentEncoded(_ bytes: [UInt8], leaving marks: String) -> String {
    PercentCoding.encode(bytes) { ASCII.isAlphanumeric($0) || marks.utf8.contains($0) }
  }
}
