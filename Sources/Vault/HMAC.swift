import COpenSSL

/// Keyed message authentication (RFC 2104).
package enum HMAC {
  /// The bytes that SHA-256 takes in at a time.
  private static let blockLength = 64

  /// The 32 bytes of HMAC-SHA-256 of `message` under `key`, which may have any length, none included (RFC 4231).
  ///
  /// Made of two digests, as OpenSSL's own looks its algorithms up by name for each call, under locks that all threads share.
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
