import COpenSSL

/// An incremental SHA-256 digest (FIPS 180-4).
///
/// Unchecked because it owns an OpenSSL context; only one task at a time may use it.
package final class SHA256Stream: @unchecked Sendable {
  private let context: OpaquePointer

  package init() {
    guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
      preconditionFailure("OpenSSL refused a SHA-256 digest")
    }
    self.context = context
  }

  deinit { EVP_MD_CTX_free(context) }

  /// Adds the next bytes.
  package func update(_ bytes: [UInt8]) {
    let isTaken = EVP_DigestUpdate(context, bytes, bytes.count) == 1
    precondition(isTaken, "OpenSSL refused a SHA-256 digest")
  }

  /// Returns the 32 bytes of the digest; do not call `update` afterwards.
  package func finish() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: SHA256Digest.byteCount) { digest, count in
      let isMade = EVP_DigestFinal_ex(context, digest.baseAddress, nil) == 1
      precondition(isMade, "OpenSSL refused a SHA-256 digest")
      count = SHA256Digest.byteCount
    }
  }
}
