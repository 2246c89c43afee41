import COpenSSL

/// SHA-256 of bytes held in memory (FIPS 180-4).
package enum SHA256Digest {
  /// The number of bytes of a digest.
  package static let byteCount = 32

  /// The 32 bytes of the digest of `bytes`.
  package static func hash(_ bytes: [UInt8]) -> [UInt8] { hash(bytes, []) }

  /// The 32 bytes of the digest of two parts, one after the other.
  static func hash(_ first: [UInt8], _ second: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: byteCount) { digest, count in
      let context = EVP_MD_CTX_new()
      defer { EVP_MD_CTX_free(context) }
      let isDone =
        EVP_DigestInit_ex(context, algorithm.pointer, nil) == 1 && EVP_DigestUpdate(context, first, first.count) == 1
        && EVP_DigestUpdate(context, second, second.count) == 1 && EVP_DigestFinal_ex(context, digest.baseAddress, nil) == 1
      precondition(isDone, "OpenSSL refused a SHA-256 digest")
      count = byteCount
    }
  }

  /// OpenSSL's algorithm, looked up once.
  ///
  /// `@unchecked`: an algorithm that was fetched is never changed nor freed here, and OpenSSL allows its use from any thread.
  private struct Algorithm: @unchecked Sendable {
    let pointer: OpaquePointer?
  }

  private static let algorithm = Algorithm(pointer: EVP_MD_fetch(nil, "SHA256", nil))
}
