import Text
import Vault

/// The two tokens of a pair in the clear, each 32 random bytes in Base64URL.
struct TokenSecrets: Hashable, Sendable {
  let access: String
  let refresh: String

  static func random() -> TokenSecrets { TokenSecrets(access: token(), refresh: token()) }

  static func token() -> String { Base64URL.encode(SecureRandom.bytes(32)) }

  /// Returns the digest that the database stores; an unkeyed one is enough for 256 random bits.
  static func hash(_ token: String) -> [UInt8] { SHA256Digest.hash(token) }

  /// Seals the pair with a key derived from the parent's refresh token: the server stores no data that can open it.
  func sealed(forParent refresh: String, pairID: String) -> [UInt8]? {
    Self.key(ofParent: refresh)?.seal(Array("\(access) \(self.refresh)".utf8), associatedData: Array(pairID.utf8))
  }

  /// Opens a pair that `sealed(forParent:pairID:)` sealed; returns nil for another parent or pair.
  init?(opening sealed: [UInt8], parent refresh: String, pairID: String) {
    guard let bytes = try? Self.key(ofParent: refresh)?.open(sealed, associatedData: Array(pairID.utf8)) else { return nil }
    let parts = bytes.split(separator: UInt8(ascii: " "))
    guard parts.count == 2, let access = parts.first, let refresh = parts.last else { return nil }
    self.init(access: String(decoding: access, as: UTF8.self), refresh: String(decoding: refresh, as: UTF8.self))
  }

  init(access: String, refresh: String) {
    self.access = access
    self.refresh = refresh
  }

  private static func key(ofParent refresh: String) -> SealingKey? {
    SealingKey(bytes: HMAC.sha256(Array("successor".utf8), key: Array(refresh.utf8)))
  }
}
