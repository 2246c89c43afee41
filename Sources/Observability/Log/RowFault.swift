/// The fault rule that acted on an attempt, as it was then; the row keeps it after the rule changes or is deleted.
package struct RowFault: Codable, Hashable, Sendable {
  /// The rule's name: as a person wrote it, redacted in a row, or the preset's English name.
  package let name: String
  /// The kind of the rule, such as `offline`.
  package let action: String
  /// The preset of the rule, for its name in other languages.
  package let preset: String?

  package init(name: String, action: String, preset: String? = nil) {
    self.name = name
    self.action = action
    self.preset = preset
  }

  /// The fault with every text changed by `mask`.
  func masked(_ mask: (String) -> String) -> RowFault {
    RowFault(name: mask(name), action: mask(action), preset: preset.map(mask))
  }
}
