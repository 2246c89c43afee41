import Text

/// The kind of a masked value, which is part of its tag.
package enum SecretKind: String, CaseIterable, Codable, Hashable, Sendable {
  /// An access, refresh, magic-link or other bearer token.
  case token
  /// A one-time login code.
  case code
  /// A complete magic link.
  case link
  /// An email address.
  case email
  /// A phone number.
  case phone
  /// A sign-in name of another form, or a device ID.
  case identifier
  /// A request's signature.
  case signature
  /// An API key or ID, device key, idempotency key or password.
  case key
  /// A payment card number.
  case card
  /// The value of a header that is not known to be harmless.
  case header
  /// A value of a response with tokens that is not known to be harmless.
  case value
}

extension SecretKind {
  /// Whether it identifies a person, as opposed to a secret of that person.
  var isPersonal: Bool { self == .email || self == .phone || self == .identifier }

  /// All kinds, secrets before names: a value that is both is a secret.
  static let byRank = allCases.filter { !$0.isPersonal } + allCases.filter(\.isPersonal)

  /// The longest value to search for, in bytes: a token that fits into a header.
  private static let longestValue = 8192

  /// Whether a value can be a secret of this kind.
  ///
  /// Most values come from backends: if an ordinary word were registered as a phone number, it would be masked everywhere, and no
  /// export could be sent. Rejected values are masked only by their name and position.
  func isPlausible(_ value: String) -> Bool {
    let bytes = Array(value.utf8)
    guard (SecretSearchPattern.minimumLength...Self.longestValue).contains(bytes.count) else { return false }
    return switch self {
    case .token, .link: bytes.count >= 8 && !bytes.allSatisfy { $0 == bytes[0] }
    case .code: bytes.count <= 12 && bytes.contains(where: ASCII.isDigit) && bytes.allSatisfy(ASCII.isAlphanumeric)
    case .email: Self.isAddress(bytes)
    case .phone: Self.isNumber(bytes)
    case .identifier: bytes.count >= 6 && !CommonWords.contains(value)
    case .signature, .key, .card, .header, .value: true
    }
  }

  /// Whether the text has one `@`, with text before it and a dotted domain after it.
  private static func isAddress(_ bytes: [UInt8]) -> Bool {
    let parts = bytes.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard bytes.count <= 254, parts.count == 2, !parts[0].isEmpty else { return false }
    let labels = parts[1].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let isPlain = bytes.allSatisfy { $0 > 0x20 && $0 != 0x7f && !"<>(),;:\\\"[]{}".utf8.contains($0) }
    return isPlain && labels.count >= 2 && labels.allSatisfy { !$0.isEmpty }
  }

  /// Whether the text has 7 to 15 digits (E.164), with optional `+` and separators.
  private static func isNumber(_ bytes: [UInt8]) -> Bool {
    let number = bytes.first == UInt8(ascii: "+") ? bytes.dropFirst() : bytes[...]
    let digits = number.filter(ASCII.isDigit)
    return (7...15).contains(digits.count) && bytes.count <= 32 && Set(digits).count > 1
      && number.allSatisfy { ASCII.isDigit($0) || " -.()/".utf8.contains($0) || $0 == 0xc2 || $0 == 0xa0 }
  }
}
