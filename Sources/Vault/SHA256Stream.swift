import COpenSSL

/// SHA-256 of bytes that come piece by piece (FIPS 180-4).
///
/// Unchecked: owns an OpenSSL context, which is used by one owner at a time.
package final class SHA256Stream: @unchecked Sendable {
  private let context: OpaquePointer

  /// A digest of nothing yet.
  package init() {
    guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
      preconditionFailure("OpenSSL refused a SHA-256 digest")
    }
    self.context = context
  }

  deinit { EVP_MD_CTX_free(context) }

  /// Takes the next bytes.
  package func update(_ bytes: [UInt8]) {
    let isTaken = EVP_DigestUpdate(context, bytes, bytes.count) == 1
    precondition(isTaken, "OpenSSL refused a SHA-256 digest")
  }

  /// The 32 bytes of the digest; nothing may be added after.
  package func finish() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: SHA256Digest.byteCount) { digest, count in
      let isMade = EVP_DigestFinal_ex(context, digest.baseAddress, nil) == 1
      precondition(isMade, "OpenSSL refused a SHA-256 digest")
      count = SHA256Digest.byteCount
    }
  }
}
