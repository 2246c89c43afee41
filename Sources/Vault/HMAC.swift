import COpenSSL

/// Keyed-hash message authentication (RFC 2104).
package enum HMAC {
  /// The block size of SHA-256, in bytes.
  private static let blockLength = 64

  /// The 32 bytes of HMAC-SHA-256 for a key of any length, including none (test vectors: RFC 4231).
  ///
  /// Computes two digests instead of calling OpenSSL's HMAC, which looks up its algorithms by name under global locks in every call.
  package static func sha256(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
    var block = key.count > blockLength ? SHA256Digest.hash(key) : key
    block += [UInt8](repeating: 0, count: blockLength - block.count)
    defer { for index in block.indices { block[index] = 0 } }
    for index in block.indices { block[index] ^= 0x36 }
    let inner = SHA256Digest.hash(block, message)
    for index in block.indices { block[index] ^= 0x36 ^ 0x5c }
    return SHA256Digest.hash(block, inner)
  }
}

/// Compares two byte strings in a time that depends only on their lengths.
package func constantTimeEquals(_ a: [UInt8], _ b: [UInt8]) -> Bool {
  a.count == b.count && CRYPTO_memcmp(a, b, a.count) == 0
}
