/// Bytes as padded base 64 (RFC 4648 §4).
package enum Base64 {
  private static let alphabet = Base64Alphabet(ending: "+/", isPadded: true)

  /// The padded text of `bytes`.
  package static func encode(_ bytes: [UInt8]) -> String { alphabet.encode(bytes) }

  /// The bytes of canonical padded text; nil for anything else, white space included.
  package static func decode(_ text: String) -> [UInt8]? { alphabet.decode(text) }
}
