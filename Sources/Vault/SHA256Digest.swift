import COpenSSL

/// The SHA-256 digest (FIPS 180-4).
package enum SHA256Digest {
  /// The number of bytes of a digest.
  package static let byteCount = 32

  /// The 32 bytes of the digest of `bytes`.
  package static func hash(_ bytes: [UInt8]) -> [UInt8] { hash(bytes, []) }

  /// The 32 bytes of the digest of a text in UTF-8.
  package static func hash(_ text: some StringProtocol) -> [UInt8] { hash(Array(text.utf8)) }

  /// The 32 bytes of the digest of the concatenation of two parts.
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

  /// OpenSSL's algorithm, fetched once.
  ///
  /// Unchecked because it is a pointer; the algorithm is never changed or freed, and OpenSSL allows its use on any thread.
  private struct Algorithm: @unchecked Sendable {
    let pointer: OpaquePointer?
  }

  private static let algorithm = Algorithm(pointer: EVP_MD_fetch(nil, "SHA256", nil))
}
