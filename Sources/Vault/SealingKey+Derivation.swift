extension SealingKey {
  /// A 32-byte key for another purpose, from which this one cannot be found (RFC 5869 §3.3, expand without salt).
  package func derive(_ purpose: String) -> [UInt8] { HMAC.sha256(Array(purpose.utf8) + [1], key: bytes) }
}
