/// A JSON body with references in its strings.
package indirect enum JSONTemplate: Hashable, Sendable {
  package struct Member: Hashable, Sendable {
    package let key: String
    package let value: JSONTemplate

    package init(_ key: String, _ value: JSONTemplate) {
      self.key = key
      self.value = value
    }
  }

  case object([Member])
  case array([JSONTemplate])
  case text(Template)
  /// A number, `true`, `false` or `null`.
  case literal(String)

  /// All its texts, in order.
  package var templates: [Template] {
    switch self {
    case .object(let members): members.flatMap(\.value.templates)
    case .array(let elements): elements.flatMap(\.templates)
    case .text(let template): [template]
    case .literal: []
    }
  }
}
