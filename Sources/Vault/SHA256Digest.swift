import COpenSSL

/// SHA-256 of bytes held in memory (FIPS 180-4).
package enum SHA256Digest {
  /// The number of bytes of a digest.
  package static let byteCount = 32

  /// The 32 bytes of the digest of `bytes`.
  package static func hash(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: byteCount) { digest, count in
      let written = SHA256(bytes, bytes.count, digest.baseAddress)
      precondition(written != nil, "OpenSSL refused a SHA-256 digest")
      count = byteCount
    }
  }
}
