import COpenSSL

/// Owns an OpenSSL cipher context for one operation.
final class CipherContext {
  let handle: OpaquePointer

  /// Creates a context for AES-256-GCM with a 96-bit nonce.
  init(key: [UInt8], nonce: [UInt8], encrypts: Bool) {
    guard let handle = EVP_CIPHER_CTX_new() else { preconditionFailure("OpenSSL has no memory for a cipher") }
    self.handle = handle
    let answer = EVP_CipherInit_ex(handle, EVP_aes_256_gcm(), nil, key, nonce, encrypts ? 1 : 0)
    precondition(answer == 1, "OpenSSL has no AES-256-GCM")
  }

  deinit { EVP_CIPHER_CTX_free(handle) }

  /// Adds bytes that are authenticated but not encrypted.
  func authenticate(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    var length: Int32 = 0
    let answer = EVP_CipherUpdate(handle, nil, &length, bytes, Int32(bytes.count))
    precondition(answer == 1, "OpenSSL refused associated data")
  }

  /// Encrypts or decrypts; decrypted bytes must not be used before `finish` returns true.
  func transform(_ bytes: [UInt8]) -> [UInt8] {
    guard !bytes.isEmpty else { return [] }
    return [UInt8](unsafeUninitializedCapacity: bytes.count) { output, count in
      var length: Int32 = 0
      let answer = EVP_CipherUpdate(handle, output.baseAddress, &length, bytes, Int32(bytes.count))
      precondition(answer == 1, "OpenSSL refused to transform")
      count = Int(length)
    }
  }

  /// Finishes the operation; returns false if the tag of a decryption does not match.
  func finish() -> Bool {
    var rest: UInt8 = 0
    var length: Int32 = 0
    return EVP_CipherFinal_ex(handle, &rest, &length) == 1
  }

  /// The tag of a finished encryption.
  func tag(byteCount: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: byteCount) { tag, count in
      let answer = EVP_CIPHER_CTX_ctrl(handle, EVP_CTRL_AEAD_GET_TAG, Int32(byteCount), tag.baseAddress)
      precondition(answer == 1, "OpenSSL gave no tag")
      count = byteCount
    }
  }

  /// Sets the tag that a decryption must match.
  func expect(tag: [UInt8]) {
    var tag = tag
    let answer = EVP_CIPHER_CTX_ctrl(handle, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag)
    precondition(answer == 1, "OpenSSL refused a tag")
  }
}
