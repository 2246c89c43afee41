/// Bytes as Base64url text without padding (RFC 4648 §5).
package enum Base64URL {
  private static let alphabet = Base64Alphabet(ending: "-_", isPadded: false)

  /// The text of `bytes`, without padding.
  package static func encode(_ bytes: [UInt8]) -> String { alphabet.encode(bytes) }

  /// The bytes of canonical text without padding; nil for other text.
  package static func decode(_ text: String) -> [UInt8]? { alphabet.decode(text) }
}
