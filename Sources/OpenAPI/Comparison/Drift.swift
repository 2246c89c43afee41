/// A difference between an exchange and the OpenAPI document that describes it.
///
/// Quotes the document, but never a value of the exchange: for values, it contains only the kind, the length or the count.
package struct Drift: Hashable, Sendable {
  /// The message that differs.
  package enum Side: Sendable {
    case request, response
  }

  /// The kind of difference.
  package enum Kind: Sendable {
    /// The message lacks a part that the document requires.
    case missing
    /// The message has a part that the document does not describe.
    case undocumented
    /// A value does not fit the document.
    case invalid
  }

  /// The message that differs.
  package let side: Side
  /// Where the message differs.
  ///
  /// For a body, the JSON pointer (RFC 6901) of the value, which is empty for the whole body; also that of a missing member. For
  /// the rest of the message, `query:name`, `path:name`, `header:name`, `content-type`, `status` or `operation`; a colon is
  /// followed by the name of the parameter or header.
  ///
  /// The name of a member or parameter that the document does not have is `*`, unless it looks like an identifier of a program,
  /// such as `/user/nickname`. Such a name comes from the exchange, so a caller that keeps the pointer redacts it first.
  package let pointer: String
  /// The document's requirement, such as `string`, `number ≥ 1`, `one of "new", "learning"` or `status 200 or 404`.
  package let expected: String
  /// The sent value's description, such as `number`, `missing`, `string of 3 characters` or `undocumented member`.
  package let got: String
  package let kind: Kind

  package init(_ side: Side, at pointer: String, expected: String, got: String, kind: Kind) {
    self.side = side
    self.pointer = pointer
    self.expected = expected
    self.got = got
    self.kind = kind
  }
}
