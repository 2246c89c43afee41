/// The shapes of values that are always treated as secrets.
package struct SecretShapes: OptionSet, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// An email address.
  static let email = SecretShapes(rawValue: 1)
  /// A phone number in international form: `+` and 8 to 15 digits, with or without separators.
  static let phone = SecretShapes(rawValue: 2)
  /// A JSON Web Token, complete or truncated.
  static let webToken = SecretShapes(rawValue: 4)
  /// 43 or more base64url characters, which encode 32 random bytes.
  static let longToken = SecretShapes(rawValue: 8)
  /// The value after a telling name: `token=…`, `"refresh_token":"…"`.
  static let assignment = SecretShapes(rawValue: 16)
  /// The credentials after `Bearer`.
  static let bearer = SecretShapes(rawValue: 32)
  /// The credentials after `Basic`.
  static let basic = SecretShapes(rawValue: 64)
  /// The user name and password of a URL.
  static let userinfo = SecretShapes(rawValue: 128)
  /// A phone number in national form: `0170 1234567`, `(555) 123-4567`.
  static let localPhone = SecretShapes(rawValue: 256)
  /// A payment card number: length and beginning of its brand, and a valid Luhn check digit.
  static let card = SecretShapes(rawValue: 512)
  /// As long as `longToken`, in Base64 with `+` or `/`.
  static let base64 = SecretShapes(rawValue: 1024)
  /// Four to eight digits in a text of an authentication call that mentions a code.
  static let codeInText = SecretShapes(rawValue: 2048)

  /// A token or key with the beginning that its issuer documents.
  static let issuer = SecretShapes(rawValue: 4096)
  /// A bank account number: IBAN with its check digits, in groups or not (ISO 13616).
  static let iban = SecretShapes(rawValue: 8192)
  /// What follows a telling segment in an address, and its login code.
  static let link = SecretShapes(rawValue: 16384)

  /// All shapes with their names.
  static let named: [(name: String, shape: SecretShapes)] = [
    ("shape.email", .email), ("shape.phone", .phone), ("shape.web token", .webToken), ("shape.long token", .longToken),
    ("shape.assignment", .assignment), ("shape.bearer", .bearer), ("shape.basic", .basic), ("shape.userinfo", .userinfo),
    ("shape.local phone", .localPhone), ("shape.card", .card), ("shape.base64", .base64), ("shape.code in text", .codeInText),
    ("shape.issuer", .issuer), ("shape.iban", .iban), ("shape.link", .link),
  ]

  /// All shapes.
  static let all = SecretShapes(named.map(\.shape))

  /// The matches in a view, as ranges of its source.
  func spans(in view: DecodedView, context: MaskContext, keys: SecretKeyRules) -> [SecretSpan] {
    let bytes = view.bytes
    var found: [(range: Range<Int>, kind: SecretKind)] = []
    if !isDisjoint(with: [.webToken, .longToken]) { found += tokens(in: bytes) }
    if contains(.issuer) { found += IssuerTokens.spans(in: bytes) }
    if contains(.base64) { found += Self.longBase64(in: bytes) }
    if contains(.email) { found += Self.emails(in: bytes) }
    if contains(.phone) { found += Self.phones(in: bytes) }
    if contains(.localPhone) { found += Self.localPhones(in: bytes) }
    if contains(.iban) { found += Self.ibans(in: bytes) }
    if contains(.link) { found += SecretLinks.spans(in: bytes) }
    if contains(.card) { found += Self.cards(in: bytes) }
    if contains(.codeInText), context == .authentication { found += Self.codes(in: bytes) }
    if !isDisjoint(with: [.assignment, .bearer, .basic, .userinfo]) {
      found += SecretAssignments(shapes: self, keys: keys, context: context).spans(in: bytes)
    }
    return found.map { match in
      SecretSpan(
        range: view.source(of: match.range), kind: match.kind, value: String(decoding: bytes[match.range], as: UTF8.self),
        isKnown: false)
    }
  }

  /// The end of the run of passing bytes that begins at `start`.
  static func end(of start: Int, in bytes: [UInt8], while passes: (UInt8) -> Bool) -> Int {
    var end = start
    while end < bytes.count, passes(bytes[end]) { end += 1 }
    return end
  }

  /// Whether a byte is an ASCII digit.
  static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  /// Whether a byte is an ASCII letter or digit.
  package static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: false
    }
  }

  /// Whether a byte is an ASCII hexadecimal digit.
  static func isHexadecimal(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
  }

  /// Whether a byte is a base64url digit.
  static func isBase64URL(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }

  /// Whether a byte may occur before the `@` of an email address.
  static func isLocalPart(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || byte >= 0x80 || ".!#$%'*+-^_`{|}~".utf8.contains(byte)
  }
}
