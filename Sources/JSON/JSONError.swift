/// Why a document is invalid or does not match a type; contains no text of the document except keys.
package struct JSONError: Error, Equatable, Sendable {
  /// The reasons of an error.
  package enum Reason: Equatable, Sendable {
    /// The document ends inside a value, or is empty.
    case unexpectedEnd
    /// The grammar does not allow the byte here; includes a byte order mark (RFC 8259 §2, §8.1).
    case unexpectedByte
    /// Something other than white space follows the document's value.
    case trailingBytes
    /// A number with leading zeros, a plus sign, or a point without digits (RFC 8259 §6).
    case invalidNumber
    /// An unescaped control character in a string (RFC 8259 §7).
    case controlCharacter
    /// A backslash before an invalid character, or `\u` without four hexadecimal digits (RFC 8259 §7).
    case invalidEscape
    /// A `\u` escape of half a surrogate pair (RFC 8259 §8.2).
    case loneSurrogate
    /// Invalid UTF-8, which includes overlong forms and encoded surrogates (RFC 3629 §3).
    case invalidUTF8
    /// Two members of an object have the same key after unescaping (RFC 8259 §4).
    case duplicateKey
    /// Objects and arrays are nested too deeply.
    case tooDeep
    /// A required member is missing.
    case missingMember
    /// A value does not match the type: another kind, null, or a number out of range.
    case unexpectedValue

    /// The reason in words, as the end of a sentence.
    package var words: String {
      switch self {
      case .unexpectedEnd: "it ends too early"
      case .unexpectedByte: "unexpected character"
      case .trailingBytes: "more text after the value"
      case .invalidNumber: "invalid number"
      case .controlCharacter: "unescaped control character in a string"
      case .invalidEscape: "invalid escape in a string"
      case .loneSurrogate: "half a surrogate pair in a string"
      case .invalidUTF8: "invalid UTF-8"
      case .duplicateKey: "a member stands twice"
      case .tooDeep: "nested too deeply"
      case .missingMember: "a required member is missing"
      case .unexpectedValue: "a value has the wrong type"
      }
    }
  }

  package let reason: Reason
  /// The offset in bytes from the start of the document; for a value that does not match its type, that of its first byte.
  package let offset: Int
  /// The keys and indices that lead to a value that does not match its type, such as `profiles.0.profile_id`; empty for invalid JSON.
  package let path: String

  /// The expected kind, such as `a string`; nil for invalid JSON.
  package let expected: String?
  /// The found kind, such as `a number` or `nothing`, but never the value itself; nil for invalid JSON.
  package let found: String?

  package init(_ reason: Reason, at offset: Int, path: String = "", expected: String? = nil, found: String? = nil) {
    self.reason = reason
    self.offset = offset
    self.path = path
    self.expected = expected
    self.found = found
  }
}
