/// The encodings in which known secrets are found.
struct SecretForms: OptionSet, Sendable {
  let rawValue: Int

  /// As registered.
  static let value = SecretForms(rawValue: 1)
  /// Email addresses and identifiers in either case.
  static let eitherCase = SecretForms(rawValue: 2)
  /// A phone number without `+`.
  static let digits = SecretForms(rawValue: 4)
  /// Hexadecimal.
  static let hexadecimal = SecretForms(rawValue: 8)
  /// Base64 of the value itself.
  static let base64 = SecretForms(rawValue: 16)
  /// The base64url alphabet in addition to that of RFC 4648 §4.
  static let base64URL = SecretForms(rawValue: 32)
  /// Base64 of a text with one byte before the value.
  static let base64AfterOne = SecretForms(rawValue: 64)
  /// Base64 of a text with two bytes before the value.
  static let base64AfterTwo = SecretForms(rawValue: 128)
  /// Base64 and hexadecimal of the percent-encoded value.
  static let percentWithin = SecretForms(rawValue: 256)
  /// The claims and the signature of a JSON Web Token, each on its own.
  static let tokenPart = SecretForms(rawValue: 512)
  /// The beginning of a long value that was truncated.
  static let cut = SecretForms(rawValue: 1024)
  /// Percent-encoding.
  static let percent = SecretForms(rawValue: 2048)
  /// JSON escapes.
  static let escapes = SecretForms(rawValue: 4096)
  /// HTML character references.
  static let references = SecretForms(rawValue: 8192)
  /// Repeated decoding.
  static let repeated = SecretForms(rawValue: 16384)
  /// Line breaks within a value.
  static let lines = SecretForms(rawValue: 32768)
  /// Separators between digits.
  static let groups = SecretForms(rawValue: 65536)
  /// Base32 (RFC 4648 §6) of an address, at any place of a text.
  static let base32 = SecretForms(rawValue: 131_072)
  /// An address in words, such as `ann at example dot org`.
  static let words = SecretForms(rawValue: 262_144)
  /// Quoted-printable (RFC 2045 §6.7).
  static let quotedPrintable = SecretForms(rawValue: 524_288)
  /// Single characters with spaces between them, and hexadecimal digits in pairs.
  static let spaced = SecretForms(rawValue: 1_048_576)

  /// All forms with their names.
  static let named: [(name: String, form: SecretForms)] = [
    ("known.value", .value), ("known.either case", .eitherCase), ("known.digits", .digits), ("known.hexadecimal", .hexadecimal),
    ("known.base64", .base64), ("known.base64url", .base64URL), ("known.base64 after one", .base64AfterOne),
    ("known.base64 after two", .base64AfterTwo), ("known.percent within", .percentWithin), ("known.token part", .tokenPart),
    ("known.cut", .cut), ("decoded.percent", .percent), ("decoded.escapes", .escapes), ("decoded.references", .references),
    ("decoded.repeated", .repeated), ("decoded.lines", .lines), ("decoded.groups", .groups), ("known.base32", .base32),
    ("known.words", .words),
    ("decoded.quoted-printable", .quotedPrintable), ("decoded.spaced", .spaced),
  ]

  static let all = SecretForms(named.map(\.form))
}
