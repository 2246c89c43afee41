/// A text of a fault rule: as the user wrote it, and as it is sent or compared.
///
/// The two differ if the text contains masks such as `‹token:3f1c09ab›`, which a copied row has in the place of secrets. Only the
/// written form may be shown, and only it is coded.
package struct FaultText: Codable, Hashable, Sendable {
  /// As the user wrote it, with masks.
  package let written: String
  /// With the secrets in the place of the masks.
  package let value: String

  /// Creates a text; `value` is the same text with its masks filled in, if it has any.
  package init(_ written: String, value: String? = nil) {
    self.written = written
    self.value = value ?? written
  }

  package init(from decoder: any Decoder) throws { self.init(try decoder.singleValueContainer().decode(String.self)) }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(written)
  }

  /// The memory that it takes, in bytes.
  var byteCount: Int { written.utf8.count + (value == written ? 0 : value.utf8.count) }
}
