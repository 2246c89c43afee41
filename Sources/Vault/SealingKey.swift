import COpenSSL

/// A 256-bit key for AES-256-GCM (NIST SP 800-38D); its description does not contain the key.
package struct SealingKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The number of bytes of a key.
  package static let byteCount = 32
  private static let nonceBytes = 12
  private static let tagBytes = 16

  /// The bytes of the key, for the key file.
  let bytes: [UInt8]

  /// Creates a key; returns nil unless there are exactly 32 bytes.
  package init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  private init() { bytes = SecureRandom.bytes(Self.byteCount) }

  /// A new random key.
  package static func random() -> SealingKey { SealingKey() }

  package var description: String { "SealingKey" }
  package var debugDescription: String { description }
  /// Has no children, so that `dump` does not print the key.
  package var customMirror: Mirror { Mirror(self, children: [:]) }

  /// Returns a random 96-bit nonce, the encrypted bytes and a 128-bit tag; `associatedData` is authenticated but not stored.
  ///
  /// Accepts at most 2 GiB. Because nonces are random, a key must not seal more than 2³² times.
  package func seal(_ plaintext: [UInt8], associatedData: [UInt8]) -> [UInt8] {
    let nonce = SecureRandom.bytes(Self.nonceBytes)
    return nonce + sealed(plaintext, nonce: nonce, associatedData: associatedData)
  }

  /// Returns the encrypted bytes and the tag for a given nonce, which known-answer tests need.
  func sealed(_ plaintext: [UInt8], nonce: [UInt8], associatedData: [UInt8]) -> [UInt8] {
    let context = CipherContext(key: bytes, nonce: nonce, encrypts: true)
    context.authenticate(associatedData)
    let encrypted = context.transform(plaintext)
    let finished = context.finish()
    precondition(finished, "OpenSSL could not finish encryption")
    return encrypted + context.tag(byteCount: Self.tagBytes)
  }

  /// Decrypts the result of `seal`; throws `cannotOpen` for other bytes, another key or other associated data.
  package func open(_ sealed: [UInt8], associatedData: [UInt8]) throws(VaultError) -> [UInt8] {
    guard sealed.count >= Self.nonceBytes + Self.tagBytes, sealed.count <= Int(Int32.max) else { throw .cannotOpen }
    let end = sealed.count - Self.tagBytes
    let context = CipherContext(key: bytes, nonce: Array(sealed[..<Self.nonceBytes]), encrypts: false)
    context.authenticate(associatedData)
    let plaintext = context.transform(Array(sealed[Self.nonceBytes..<end]))
    context.expect(tag: Array(sealed[end...]))
    guard context.finish() else { throw .cannotOpen }
    return plaintext
  }
}

extension SealingKey {
  /// Derives a 32-byte key for another purpose; it does not reveal this key (HKDF-Expand, RFC 5869 §2.3).
  package func derive(_ purpose: String) -> [UInt8] { HMAC.sha256(Array(purpose.utf8) + [1], key: bytes) }
}

/// Owns an OpenSSL cipher context for one operation.
final class CipherContext {
  private let handle: OpaquePointer

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
