import Text
import Vault

/// The two secrets of a token pair, as they leave: each 32 random bytes in base 64 for URLs.
struct TokenSecrets: Hashable, Sendable {
  /// The access token.
  let access: String
  /// The refresh token.
  let refresh: String

  /// New secrets.
  static func random() -> TokenSecrets { TokenSecrets(access: token(), refresh: token()) }

  /// One new token.
  static func token() -> String { Base64URL.encode(SecureRandom.bytes(32)) }

  /// What the database knows a token by. A plain digest is enough: nobody tries out 256 bits.
  static func hash(_ token: String) -> StoredBytes { StoredBytes(SHA256Digest.hash(Array(token.utf8))) }

  /// The secrets sealed for whoever holds the parent's refresh token: neither the database nor any key of the server opens them.
  func sealed(forParent refresh: String, pairID: String) -> [UInt8]? {
    Self.key(ofParent: refresh)?.seal(Array("\(access) \(self.refresh)".utf8), associatedData: Array(pairID.utf8))
  }

  /// The secrets that `sealed(forParent:pairID:)` made; nil for another parent or pair.
  init?(opening sealed: [UInt8], parent refresh: String, pairID: String) {
    guard let bytes = try? Self.key(ofParent: refresh)?.open(sealed, associatedData: Array(pairID.utf8)) else { return nil }
    let parts = bytes.split(separator: UInt8(ascii: " "))
    guard parts.count == 2, let access = parts.first, let refresh = parts.last else { return nil }
    self.init(access: String(decoding: access, as: UTF8.self), refresh: String(decoding: refresh, as: UTF8.self))
  }

  /// Two secrets.
  init(access: String, refresh: String) {
    self.access = access
    self.refresh = refresh
  }

  private static func key(ofParent refresh: String) -> SealingKey? {
    SealingKey(bytes: HMAC.sha256(Array("successor".utf8), key: Array(refresh.utf8)))
  }
}
