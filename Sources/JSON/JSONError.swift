/// Why bytes are not the JSON that was asked for; carries no text of the document but the keys on the way.
package struct JSONError: Error, Equatable, Sendable {
  /// The kinds of fault.
  package enum Reason: Equatable, Sendable {
    /// The document ends inside a value, or is empty.
    case unexpectedEnd
    /// A byte that the grammar has no place for, a byte order mark included (RFC 8259 §2, §8.1).
    case unexpectedByte
    /// More than white space follows the document's value.
    case trailingBytes
    /// A number outside the grammar: leading zeros, a bare point, a plus sign (§6).
    case invalidNumber
    /// An unescaped control character in a string (§7).
    case controlCharacter
    /// A backslash before something that needs none, or `\u` without four hexadecimal digits (§7).
    case invalidEscape
    /// A `\u` escape of half a surrogate pair (§8.2).
    case loneSurrogate
    /// Bytes that are not UTF-8, overlong forms and encoded surrogates included (RFC 3629 §3).
    case invalidUTF8
    /// Two members of an object have the same key after unescaping (§4).
    case duplicateKey
    /// Objects and arrays are nested beyond the limit.
    case tooDeep
    /// A member that the type needs is missing.
    case missingMember
    /// A value does not fit the type: another kind, null, or a number out of range.
    case unexpectedValue
  }

  /// What is wrong.
  package let reason: Reason
  /// Where, in bytes from the start; for a value of the wrong type, its first byte.
  package let offset: Int
  /// The keys and indices that lead to a value of the wrong type, such as `profiles.0.profile_id`; empty for a fault of the
  /// grammar.
  package let path: String

  /// A fault at a byte.
  package init(_ reason: Reason, at offset: Int, path: String = "") {
    self.reason = reason
    self.offset = offset
    self.path = path
  }
}
