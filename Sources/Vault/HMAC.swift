import COpenSSL

/// Keyed message authentication (RFC 2104).
package enum HMAC {
  /// The 32 bytes of HMAC-SHA-256 of `message` under `key`, which may have any length, none included (RFC 4231).
  package static func sha256(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
    // A null key means "keep the last one" to OpenSSL, and the address of an empty array may be null.
    let keyBytes = key.isEmpty ? [0] : key
    return [UInt8](unsafeUninitializedCapacity: SHA256Digest.byteCount) { code, count in
      var length: UInt32 = 0
      let written = COpenSSL.HMAC(
        EVP_sha256(), keyBytes, Int32(clamping: key.count), message, message.count, code.baseAddress, &length)
      precondition(written != nil && length == UInt32(SHA256Digest.byteCount), "OpenSSL refused an HMAC")
      count = Int(length)
    }
  }
}
