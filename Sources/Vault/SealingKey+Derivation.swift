extension SealingKey {
  /// Derives a 32-byte key for another purpose; it does not reveal this key (HKDF-Expand, RFC 5869 §2.3).
  package func derive(_ purpose: String) -> [UInt8] { HMAC.sha256(Array(purpose.utf8) + [1], key: bytes) }
}
