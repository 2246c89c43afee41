/// Which headers are shown; every other one keeps its name alone.
enum HeaderRules {
  private static let shown: Set<String> = [
    "accept", "accept-encoding", "accept-language", "accept-ranges", "age", "allow", "cache-control", "connection",
    "content-encoding",
    "content-language", "content-length", "content-range", "content-type", "date", "etag", "expires", "host", "if-match",
    "if-modified-since", "if-none-match", "if-unmodified-since", "keep-alive", "last-modified", "location", "pragma", "range",
    "retry-after", "server", "strict-transport-security", "te", "trailer", "transfer-encoding", "upgrade", "user-agent", "vary",
    "via",
    "www-authenticate", "x-content-type-options", "x-nonce", "x-request-id",
  ]
  private static let shownPrefixes = ["ratelimit", "x-ratelimit-"]

  /// What a header's value is read as.
  enum Treatment: Equatable {
    /// Shown, without what is known or looks like a secret.
    case shown
    /// Shown as the others, but for a digest in hexadecimal, which is as long and random as a token.
    case validator
    /// MaskedText whole, as this kind.
    case masked(SecretKind)
    /// MaskedText but for the scheme in front, as in `Bearer ‹token:…›`.
    case credentials
  }

  /// How the value of the header with that lower-case name is treated.
  static func treatment(of name: String) -> Treatment {
    switch name {
    case "authorization", "proxy-authorization": .credentials
    case "x-signature": .masked(.signature)
    case "x-api-id", "x-api-key", "idempotency-key", "cookie", "set-cookie", "x-device-key": .masked(.key)
    case "x-device-id": .masked(.identifier)
    case "etag", "if-none-match", "if-match": .validator
    case let name where shown.contains(name) || shownPrefixes.contains { name.hasPrefix($0) }: .shown
    default: .masked(.header)
    }
  }

  /// What is looked for in a validator (RFC 9110 §8.8.3): numbers that look like something else stand in many, and so do digests.
  static func shapes(ofValidator value: String) -> SecretShapes {
    let words = value.utf8.split { !SecretShapes.isAlphanumeric($0) }.filter { $0.count >= 32 }
    let holdsDigests = !words.isEmpty && words.allSatisfy { $0.allSatisfy(isHexadecimal) }
    let shapes: SecretShapes = [.email, .phone, .webToken, .assignment, .bearer, .basic, .userinfo]
    return holdsDigests ? shapes : shapes.union([.longToken, .base64])
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    SecretShapes.isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
  }
}
