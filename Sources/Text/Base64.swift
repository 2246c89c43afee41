/// Bytes as padded Base64 text (RFC 4648 §4).
package enum Base64 {
  private static let alphabet = Base64Alphabet(ending: "+/", isPadded: true)

  /// The padded text of `bytes`.
  package static func encode(_ bytes: [UInt8]) -> String { alphabet.encode(bytes) }

  /// The bytes of canonical padded text; nil for other text, which includes any with white space.
  package static func decode(_ text: String) -> [UInt8]? { alphabet.decode(text) }
}
