import Text

/// The header and the claims of an unencrypted JSON Web Token (RFC 7519). Its signature is not checked.
package struct WebToken: Sendable {
  package let header: JSONNode
  package let claims: JSONNode

  /// The longest token in bytes.
  private static let sizeLimit = 16_384

  /// Reads a token; nil for any other text.
  package init?(_ token: String) {
    guard token.utf8.starts(with: "eyJ".utf8), token.utf8.count <= Self.sizeLimit else { return nil }
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]) else { return nil }
    self.header = header
    self.claims = claims
  }

  /// The time of a claim such as `exp` in milliseconds since 1970; nil without one, and for a number that is not a time.
  package func time(_ claim: String) -> Int64? { claims[claim]?.double.flatMap(Self.milliseconds) }

  /// The session that the token names; nil without one.
  package var session: String? {
    ["sid", "session_id", "sessionId", "session_state", "origin_jti"].lazy
      .compactMap { claims[$0]?.string }.first { $0.utf8.count >= 6 }
  }

  /// Whether the token belongs to an app and not to a user, as the keys of Supabase do.
  package var isAnonymous: Bool { claims["role"]?.string == "anon" && claims["sub"] == nil }

  /// Converts a NumericDate (RFC 7519 §2); nil for a number that is not a time.
  package static func milliseconds(_ seconds: Double) -> Int64? {
    (1...1e11).contains(seconds) ? Int64((seconds * 1000).rounded()) : nil
  }

  private static func object(_ part: Substring) -> JSONNode? {
    guard let bytes = Base64.decodeLeniently(String(part)), let root = try? JSONDocument(parsing: bytes).root,
      root.kind == .object
    else { return nil }
    return root
  }
}
