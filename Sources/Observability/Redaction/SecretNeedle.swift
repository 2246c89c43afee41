import Text

/// One byte string whose appearance gives a secret away.
struct SecretNeedle: Sendable {
  /// The shortest needle that is searched for; shorter ones would be found everywhere.
  static let minimumLength = 4
  /// The shortest beginning of a value that is taken for the value cut off.
  static let minimumCut = 12

  /// The bytes, in lower case where case is ignored; of a folded one the digits' values.
  let bytes: [UInt8]
  /// How its letters are compared where the case within the coding is ignored; nil where bytes are compared.
  var folding: SecretFolding?
  /// The secret's kind.
  let kind: SecretKind
  /// The secret as it was registered, for its tag.
  let value: String
  /// Whether letters and digits beside it make it another word.
  let isWholeToken: Bool
  /// Whether digits beside it make it another number.
  var isWholeNumber = false
  /// Whether ASCII letters match in either case.
  let ignoresCase: Bool
  /// Whether it is base 64, so that the digits on both sides can carry bits of the secret.
  let isBase64: Bool
  /// How many of its bytes are enough to be found.
  let leastLength: Int

  /// The first four bytes in lower case, in each of the ways in which they can be written.
  var prefixes: Set<UInt32> {
    folding?.prefixes(of: bytes) ?? [bytes.prefix(4).reduce(0) { $0 << 8 | UInt32(Self.lowercased($1)) }]
  }

  /// The needles of a secret: itself, hexadecimal, and both base 64 alphabets at each of the three alignments within larger text.
  ///
  /// Percent and JSON escapes need none, as the text is decoded before it is searched. `spelling` is how the value was written where that
  /// is not how it was registered.
  static func all(
    of value: String, kind: SecretKind, forms: SecretForms = .all, spelling: String? = nil
  ) -> [SecretNeedle] {
    let bytes = Array((spelling ?? value).utf8)
    let isPersonal = kind == .email || kind == .identifier || kind == .phone
    let ignoresCase = isPersonal && forms.contains(.eitherCase)
    let canBeCut = forms.contains(.cut) && (kind == .token || kind == .key || kind == .signature)
    var needles: [SecretNeedle] = []
    var seen: Set<[UInt8]> = []
    func add(
      _ bytes: [UInt8], ignoresCase: Bool = false, isBase64: Bool = false, isWholeNumber: Bool = false,
      folding: SecretFolding? = nil
    ) {
      let bytes = ignoresCase ? bytes.map(lowercased) : bytes
      guard bytes.count >= minimumLength, seen.insert(bytes + (folding.map { $0.masks } ?? [])).inserted else { return }
      needles.append(
        SecretNeedle(
          bytes: bytes, folding: folding, kind: kind, value: value, isWholeToken: kind == .code && !isBase64,
          isWholeNumber: isWholeNumber, ignoresCase: ignoresCase, isBase64: isBase64,
          leastLength: canBeCut ? min(bytes.count, minimumCut) : bytes.count))
    }
    if forms.contains(.value) { add(bytes, ignoresCase: ignoresCase) }
    let parts = forms.contains(.tokenPart) ? parts(of: bytes) : []
    for part in parts { add(part) }
    var written = [bytes] + parts
    // A number is known by its digits too: `+49…` is `0049…` and `tel:49…` elsewhere.
    if forms.contains(.digits), bytes.first == UInt8(ascii: "+"), bytes.count >= 8 {
      let digits = bytes.filter(SecretShapes.isDigit)
      add(digits, isWholeNumber: true)
      written.append(digits)
    }
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
    return needles
  }

  /// The claims and the signature of a web token; the header says nothing that others' do not.
  private static func parts(of bytes: [UInt8]) -> [[UInt8]] {
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, bytes.starts(with: "eyJ".utf8) else { return [] }
    return parts.dropFirst().filter { $0.count >= minimumCut }.map(Array.init)
  }

  private static func urlDigit(_ byte: UInt8) -> UInt8 {
    byte == UInt8(ascii: "+") ? UInt8(ascii: "-") : byte == UInt8(ascii: "/") ? UInt8(ascii: "_") : byte
  }

  /// The base 64 digits that depend on nothing but `bytes` when `prefix` bytes come before them in their group.
  static func base64Core(of bytes: [UInt8], after prefix: Int) -> [UInt8] {
    let text = Array(Base64.encode([UInt8](repeating: 0, count: prefix) + bytes).utf8)
    let first = (prefix * 8 + 5) / 6
    let end = (prefix + bytes.count) * 8 / 6
    return first < end ? Array(text[first..<end]) : []
  }

  /// Everything but letters, digits and the given marks as `%XX`: RFC 3986 leaves `-._~`, browsers leave more, some leave none.
  private static func percentEncoded(_ bytes: [UInt8], leaving marks: String) -> String {
    PercentCoding.encode(bytes) { SecretShapes.isAlphanumeric($0) || marks.utf8.contains($0) }
  }

  /// An ASCII letter in lower case, any other byte as it is.
  static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
