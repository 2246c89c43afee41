import Text

/// The SHA-256 of a certificate's whole SubjectPublicKeyInfo in DER (RFC 7469 §2.4), which survives a renewal with the same key.
package struct SPKIPin: Sendable, Hashable, CustomStringConvertible {
  /// The digest, 32 bytes.
  package let digest: [UInt8]

  /// The pin of a 32-byte digest; nil for another size.
  package init?(digest: [UInt8]) {
    guard digest.count == 32 else { return nil }
    self.digest = digest
  }

  /// Parses `sha256/BASE64`, `sha256//BASE64` or plain Base64 of 32 bytes; nil for anything else, SHA-1 pins included.
  package init?(_ text: String) {
    // A digest may itself start with `/`, so the length decides, not the first prefix that fits.
    for prefix in ["sha256//", "sha256/", ""] where text.hasPrefix(prefix) {
      if let digest = Base64.decode(String(text.dropFirst(prefix.count))), digest.count == 32 {
        self.digest = digest
        return
      }
    }
    return nil
  }

  /// `sha256/` and the digest in Base64.
  package var description: String { "sha256/" + Base64.encode(digest) }
}
