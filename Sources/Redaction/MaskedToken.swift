package import JSON
import Text

/// The readable parts of a masked JSON Web Token (RFC 7519): times, algorithm, key, and the names of its claims.
///
/// The token's issuer chose every text in it, so each is limited and masked like other texts.
package struct MaskedToken: Codable, Equatable, Sendable {
  /// The digits of the token's mask, whose kind depends on the place.
  package let mask: String
  /// The algorithm of the signature.
  package private(set) var alg: String?
  /// The key of the signature; a mask if it looks like a secret.
  package private(set) var kid: String?
  /// In seconds since 1970.
  package private(set) var iat: Double?
  /// In seconds since 1970.
  package private(set) var nbf: Double?
  /// In seconds since 1970.
  package private(set) var exp: Double?
  /// The names of the other claims; `*` for those that can be values.
  package private(set) var claims: [String]
  /// The digits of the mask of the session that the token names.
  package private(set) var session: String?
  /// Whether the token belongs to an app and not to a user.
  package private(set) var anonymous: Bool?

  private static let times: Set<String> = ["iat", "nbf", "exp"]
  private static let keyLimit = 64
  private static let claimLimit = 32
  /// The algorithms of signatures that are registered for JSON Web Tokens (RFC 7518 §3.1, RFC 8037 §3.1, RFC 8812 §3.2).
  private static let algorithms: Set<String> = [
    "HS256", "HS384", "HS512", "RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256", "PS384", "PS512", "none", "EdDSA",
    "ES256K",
  ]

  private init?(_ text: String, scan: SecretScan) {
    guard let token = WebToken(text) else { return nil }
    mask = Self.digits(of: text, scan)
    alg = token.header["alg"]?.string.flatMap(Self.algorithm)
    kid = token.header["kid"]?.string.flatMap { Self.key($0, scan) }
    iat = Self.time(token.time("iat"))
    nbf = Self.time(token.time("nbf"))
    exp = Self.time(token.time("exp"))
    claims = Self.names(token.claims.members.map(\.key).filter { !Self.times.contains($0) }, scan)
    session = token.session.map { Self.digits(of: $0, scan) }
    anonymous = token.isAnonymous ? true : nil
  }

  private static func digits(of value: String, _ scan: SecretScan) -> String {
    scan.tagDigits[value] ?? SecretScan.digits(of: value, key: scan.tagKey)
  }

  private static func time(_ milliseconds: Int64?) -> Double? { milliseconds.map { Double($0) / 1000 } }

  private static func algorithm(_ text: String) -> String? { algorithms.contains(text) ? text : nil }

  private static func key(_ text: String, _ scan: SecretScan) -> String? {
    let bytes = Array(text.utf8)
    if MaskTag.end(at: 0, in: bytes) == bytes.count { return text }
    guard (1...keyLimit).contains(bytes.count),
      bytes.allSatisfy({ ASCII.isAlphanumeric($0) || "-_.:=+/".utf8.contains($0) })
    else { return nil }
    let isSecret = RandomText.occurs(in: bytes) || !scan.mask(text, context: .authentication, shapes: .all).counts.isEmpty
    return isSecret ? scan.tag(for: text, kind: .key) : text
  }

  private static func names(_ names: [String], _ scan: SecretScan) -> [String] {
    var shown: Set<String> = []
    for name in names.prefix(claimLimit) {
      let isPlain = scan.mask(name, context: .authentication, shapes: .all).counts.isEmpty
      shown.insert(isPlain ? PlainName.shown(name) : "*")
    }
    return shown.sorted()
  }

  private enum CodingKeys: String, CodingKey {
    case mask, alg, kid, iat, nbf, exp, claims, session, anonymous
  }

  /// Decodes a token; drops invalid fields, and an invalid mask becomes empty.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let written = try container.decode(String.self, forKey: .mask)
    mask = MaskTag.isDigits(written) ? written : ""
    alg = try container.decodeIfPresent(String.self, forKey: .alg).flatMap(Self.algorithm)
    kid = try container.decodeIfPresent(String.self, forKey: .kid)
    func time(_ key: CodingKeys) throws -> Double? {
      Self.time(try container.decodeIfPresent(Double.self, forKey: key).flatMap(WebToken.milliseconds))
    }
    iat = try time(.iat)
    nbf = try time(.nbf)
    exp = try time(.exp)
    claims = try container.decode([String].self, forKey: .claims)
    session = try container.decodeIfPresent(String.self, forKey: .session).flatMap { MaskTag.isDigits($0) ? $0 : nil }
    anonymous = try container.decodeIfPresent(Bool.self, forKey: .anonymous)
  }

  /// Reads the field of an imported file; nil if it is invalid. Its texts still have to be masked.
  package init?(_ node: JSONNode) {
    guard let token = try? JSONCoding.decode(MaskedToken.self, from: Array(node.sourceText.utf8)), !token.mask.isEmpty
    else { return nil }
    self = token
  }

  /// The token with all secrets masked that are known now, for files whose texts a person can have changed.
  package func masked(by scan: SecretScan) -> MaskedToken {
    var masked = self
    masked.kid = kid.flatMap { Self.key($0, scan) }
    masked.claims = Self.names(claims, scan)
    return masked
  }

  /// Writes the members in the order of their names.
  package func write(into writer: inout JSONWriter) {
    writer.beginObject()
    if let alg { writer.member("alg", alg) }
    if let anonymous {
      writer.key("anonymous")
      writer.flag(anonymous)
    }
    writer.key("claims")
    writer.beginArray()
    for name in claims { writer.string(name) }
    writer.endArray()
    if let exp { writer.member("exp", exp) }
    if let iat { writer.member("iat", iat) }
    if let kid { writer.member("kid", kid) }
    writer.member("mask", mask)
    if let nbf { writer.member("nbf", nbf) }
    if let session { writer.member("session", session) }
    writer.endObject()
  }

  /// An example with every member, for the API description.
  package static let example: MaskedToken? = {
    let text = #"""
      {"mask":"00000000","alg":"none","kid":"k","iat":1,"nbf":1,"exp":1,"claims":["sub"],"session":"00000000","anonymous":true}
      """#
    return try? JSONCoding.decode(MaskedToken.self, from: Array(text.utf8))
  }()
}

extension MaskedToken {
  /// The most tokens of a message.
  package static let countLimit = 20

  /// Returns the tokens in unredacted texts whose masks are in the redacted ones.
  static func list(
    in texts: some Sequence<(sent: [UInt8], redacted: String)>, scan: SecretScan
  ) -> [MaskedToken] {
    var tokens: [MaskedToken] = []
    var tried: Set<String> = []
    for (sent, redacted) in texts where sent.contains(UInt8(ascii: ".")) {
      let masks = MaskTag.digits(in: Array(redacted.utf8))
      if masks.isEmpty { continue }
      for (range, _) in SecretShapes.webToken.tokens(in: sent) {
        // Each try parses the token, and a hostile body can have any number of them.
        guard tokens.count < countLimit, tried.count < 10 * countLimit else { return tokens }
        let text = String(decoding: sent[range], as: UTF8.self)
        guard tried.insert(text).inserted, let token = MaskedToken(text, scan: scan), masks.contains(token.mask),
          !tokens.contains(where: { $0.mask == token.mask })
        else { continue }
        tokens.append(token)
      }
    }
    return tokens
  }
}
