/// The forms in which known values are found.
struct SecretForms: OptionSet, Sendable {
  let rawValue: Int

  /// As registered.
  static let value = SecretForms(rawValue: 1)
  /// Addresses and identifiers in either case.
  static let eitherCase = SecretForms(rawValue: 2)
  /// A phone number without its `+`.
  static let digits = SecretForms(rawValue: 4)
  /// Hexadecimal.
  static let hexadecimal = SecretForms(rawValue: 8)
  /// Base 64 of the value alone.
  static let base64 = SecretForms(rawValue: 16)
  /// The alphabet of URLs beside that of RFC 4648 §4.
  static let base64URL = SecretForms(rawValue: 32)
  /// Base 64 of a text in which one byte stands before the value.
  static let base64AfterOne = SecretForms(rawValue: 64)
  /// Base 64 of a text in which two bytes stand before the value.
  static let base64AfterTwo = SecretForms(rawValue: 128)
  /// Base 64 and hexadecimal of the value with `%XX`.
  static let percentWithin = SecretForms(rawValue: 256)
  /// The claims and the signature of a web token, each alone.
  static let tokenPart = SecretForms(rawValue: 512)
  /// The beginning of a long value that was cut.
  static let cut = SecretForms(rawValue: 1024)
  /// `%XX` undone.
  static let percent = SecretForms(rawValue: 2048)
  /// JSON's escapes undone.
  static let escapes = SecretForms(rawValue: 4096)
  /// HTML's character references undone.
  static let references = SecretForms(rawValue: 8192)
  /// What was undone undone again.
  static let repeated = SecretForms(rawValue: 16384)
  /// Line breaks within a value undone.
  static let lines = SecretForms(rawValue: 32768)
  /// Separators between digits undone.
  static let groups = SecretForms(rawValue: 65536)

  /// Each with its name.
  static let named: [(name: String, form: SecretForms)] = [
    ("known.value", .value), ("known.either case", .eitherCase), ("known.digits", .digits), ("known.hexadecimal", .hexadecimal),
    ("known.base64", .base64), ("known.base64url", .base64URL), ("known.base64 after one", .base64AfterOne),
    ("known.base64 after two", .base64AfterTwo), ("known.percent within", .percentWithin), ("known.token part", .tokenPart),
    ("known.cut", .cut), ("decoded.percent", .percent), ("decoded.escapes", .escapes), ("decoded.references", .references),
    ("decoded.repeated", .repeated), ("decoded.lines", .lines), ("decoded.groups", .groups),
  ]

  /// All of them.
  static let all = SecretForms(named.map(\.form))
}
