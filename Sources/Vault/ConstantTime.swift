import COpenSSL

/// Whether two byte strings are equal, in a time that tells nothing of where they differ; a differing length shows.
package func constantTimeEquals(_ a: [UInt8], _ b: [UInt8]) -> Bool {
  a.count == b.count && CRYPTO_memcmp(a, b, a.count) == 0
}
