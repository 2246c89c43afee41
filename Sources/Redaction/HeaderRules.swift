import Text

/// Decides which header values are shown; of all others only the name is kept.
enum HeaderRules {
  private static let shown: Set<String> = [
    "accept", "accept-encoding", "accept-language", "accept-ranges", "age", "allow", "cache-control", "connection",
    "content-encoding",
    "content-language", "content-length", "content-range", "content-type", "date", "etag", "expires", "host", "if-match",
    "if-modified-since", "if-none-match", "if-unmodified-since", "keep-alive", "last-modified", "location", "pragma", "range",
    "retry-after", "server", "strict-transport-security", "te", "trailer", "transfer-encoding", "upgrade", "user-agent", "vary",
    "via",
    "x-content-type-options", "x-nonce", "x-replay-left-out", "x-request-id",
  ]
  private static let shownPrefixes = ["ratelimit", "x-ratelimit-"]

  /// How a header's value is treated.
  enum Treatment: Equatable {
    /// Shown, except for known secrets and values that look like secrets.
    case shown
    /// Shown likewise, but hexadecimal digests are kept, although they are as long and random as a token.
    case validator
    /// Masked entirely, as this kind.
    case masked(SecretKind)
    /// Shown by its parts (``ChallengeRedaction``).
    case challenge
    /// Masked except for the scheme, as in `Bearer ‹token:…›`.
    case credentials
  }

  /// The treatment of the header with this lower-case name.
  static func treatment(of name: String) -> Treatment {
    switch name {
    case "authorization", "proxy-authorization": .credentials
    case "www-authenticate", "proxy-authenticate": .challenge
    case "x-signature": .masked(.signature)
    case "x-api-id", "x-api-key", "idempotency-key", "cookie", "set-cookie", "x-device-key": .masked(.key)
    case "x-device-id": .masked(.identifier)
    case "etag", "if-none-match", "if-match": .validator
    case let name where shown.contains(name) || shownPrefixes.contains { name.hasPrefix($0) }: .shown
    default: .masked(.header)
    }
  }

  /// The shapes to search for in a validator (RFC 9110 §8.8.3), which may contain digests and numbers that resemble secrets.
  static func shapes(ofValidator value: String) -> SecretShapes {
    let words = value.utf8.split { !ASCII.isAlphanumeric($0) }.filter { $0.count >= 32 }
    let holdsDigests = !words.isEmpty && words.allSatisfy { $0.allSatisfy(SecretShapes.isHexadecimal) }
    let shapes: SecretShapes = [.email, .phone, .webToken, .assignment, .bearer, .basic, .userinfo]
    return holdsDigests ? shapes : shapes.union([.longToken, .base64])
  }
}
