/// A 256-bit key that seals bytes with AES-256-GCM (NIST SP 800-38D); it prints as nothing but its type.
package struct SealingKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The number of bytes of a key.
  package static let byteCount = 32
  private static let nonceBytes = 12
  private static let tagBytes = 16

  /// The key itself, for the key file.
  let bytes: [UInt8]

  /// The key of exactly 32 bytes; nil for any other number.
  package init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  /// A key of random bytes.
  private init() { bytes = SecureRandom.bytes(Self.byteCount) }

  /// A new random key.
  package static func random() -> SealingKey { SealingKey() }

  /// A text without the key.
  package var description: String { "SealingKey" }
  /// A text without the key.
  package var debugDescription: String { description }
  /// A mirror without the key, so that `dump` shows nothing.
  package var customMirror: Mirror { Mirror(self, children: [:]) }

  /// A random 96-bit nonce, the encrypted bytes and a 128-bit tag; `associatedData` binds them to a place and is not stored.
  ///
  /// At most 2 GiB at a time and, nonces being random, 2³² seals a key.
  package func seal(_ plaintext: [UInt8], associatedData: [UInt8]) -> [UInt8] {
    let nonce = SecureRandom.bytes(Self.nonceBytes)
    return nonce + sealed(plaintext, nonce: nonce, associatedData: associatedData)
  }

  /// The encrypted bytes and the tag under a given nonce, for known answers.
  func sealed(_ plaintext: [UInt8], nonce: [UInt8], associatedData: [UInt8]) -> [UInt8] {
    let context = CipherContext(key: bytes, nonce: nonce, encrypts: true)
    context.authenticate(associatedData)
    let encrypted = context.transform(plaintext)
    let finished = context.finish()
    precondition(finished, "OpenSSL did not finish a seal")
    return encrypted + context.tag(byteCount: Self.tagBytes)
  }

  /// The bytes that were sealed with this key and `associatedData`; throws `cannotOpen` for anything else.
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
