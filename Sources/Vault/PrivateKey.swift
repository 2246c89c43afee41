import COpenSSL

/// Owns an OpenSSL private key.
final class PrivateKey {
  let handle: OpaquePointer

  /// Generates a P-256 key.
  init() throws(VaultError) {
    guard let handle = understudy_generate_p256_key() else { throw .certificateNotMade(step: "key") }
    self.handle = handle
  }

  deinit { EVP_PKEY_free(handle) }

  /// The key as unencrypted PKCS #8 PEM.
  func pem() throws(VaultError) -> String {
    let buffer = try MemoryBuffer()
    guard PEM_write_bio_PKCS8PrivateKey(buffer.handle, handle, nil, nil, 0, nil, nil) == 1 else {
      throw .certificateNotMade(step: "key text")
    }
    return buffer.text
  }
}
