import JSON
import Text

/// The identity of a token's value: equal for equal values, and without the value.
struct TokenTag: Hashable, Sendable {
  private let digest: UInt64

  /// The tag of a value, or of the value that a mask such as `‹token:3f1c09ab›` stands for.
  init(_ value: String) {
    var value = value
    digest = value.withUTF8 { bytes in
      // The kind in a mask depends on the place, its digits on the value alone.
      if bytes.count > 12, bytes[0] == 0xe2, bytes.last == 0xba, let colon = bytes.lastIndex(of: UInt8(ascii: ":")) {
        return FNV1a.hash(UnsafeBufferPointer(rebasing: bytes[(colon + 1)...]))
      }
      return FNV1a.hash(bytes)
    }
  }
}

/// The claims of a JSON Web Token (RFC 7519).
package struct TokenClaims: Equatable, Sendable {
  /// In milliseconds since 1970.
  package var issuedAt: Int64?
  /// In milliseconds since 1970.
  package var notBefore: Int64?
  /// In milliseconds since 1970.
  package var expiresAt: Int64?
  /// The session that the token belongs to.
  var session: TokenTag?
  /// Whether the token belongs to the app, not to a user.
  var isAnonymous = false

  /// The claims of a masked token. `session` is the mask of the session that it names.
  package init(issuedAt: Int64?, notBefore: Int64?, expiresAt: Int64?, session: String?, isAnonymous: Bool) {
    self.issuedAt = issuedAt
    self.notBefore = notBefore
    self.expiresAt = expiresAt
    self.session = session.map { TokenTag($0) }
    self.isAnonymous = isAnonymous
  }

  /// Reads an unencrypted token; nil for any other text. The signature is not checked.
  package init?(_ token: String) {
    guard let token = WebToken(token) else { return nil }
    issuedAt = token.time("iat")
    notBefore = token.time("nbf")
    expiresAt = token.time("exp")
    session = token.session.map { TokenTag($0) }
    isAnonymous = token.isAnonymous
  }
}

/// A token, or a session's cookie, in a message.
struct Credential: Sendable {
  /// A value's role by its name.
  enum Role: Sendable { case access, refresh, identity, unknown }
  enum Place: Sendable { case authorization, header, cookie, query, body }

  var tag: TokenTag
  var role: Role
  var place: Place
  /// The name in lower case, without separators.
  var name: String
  var claims: TokenClaims?
  /// When it expires, in milliseconds since 1970, by the claims or by its message.
  var expiresAt: Int64?
  /// Whether it is a placeholder, which is the same for all values.
  var isPlaceholder = false
  /// Whether it is a text that programs write for a missing token, or a malformed token.
  var isJunk = false
}

/// Whether a text replaces a removed value.
enum Placeholder {
  private static let words = [
    "redact", "removed", "masked", "hidden", "stripped", "sanitiz", "sanitis", "filtered", "placeholder", "scrubbed", "censored",
    "omitted", "elided", "xxxx", "****", "your_", "your-", "__token", "dummy",
  ]

  private static let junk: Set<String> = [
    "null", "undefined", "nil", "none", "(null)", "nan", "false", "[object object]", "bearer", "token", "optional", "",
  ]

  /// Whether a text is a program's form of a missing value, or a token in quotes or with its own scheme.
  static func isJunk(_ value: String) -> Bool {
    let lower = value.prefix(24).lowercased()
    return junk.contains(lower) || lower.hasPrefix("optional(") || lower.hasPrefix("bearer ") || lower.hasPrefix("\"")
  }

  static func isOne(_ value: String) -> Bool {
    // Understudy's masks are equal for equal values only.
    if value.utf8.first == 0xe2, value.hasPrefix("‹"), value.hasSuffix("›") { return false }
    guard let first = value.utf8.first, value.utf8.count <= 64 else { return false }
    if value.utf8.allSatisfy({ $0 == first }) { return true }
    if "<[{$".utf8.contains(first), let last = value.utf8.last, ">]}".utf8.contains(last) { return true }
    let lower = value.lowercased()
    return words.contains { lower.contains($0) }
  }
}
