/// A value of a YAML text, with its place there.
package struct YAMLNode: Hashable, Sendable {
  /// The three kinds of values.
  package enum Content: Hashable, Sendable {
    case scalar(YAMLScalar)
    case sequence([YAMLNode])
    /// The members in their order; no two have the same key.
    case mapping([YAMLMember])
  }

  package let content: Content
  /// Where the value begins; for an alias, where the value of its anchor begins.
  package let place: YAMLPlace
}

/// A member of a mapping.
package struct YAMLMember: Hashable, Sendable {
  /// The key as it is spelled, without quotes: `200` and `"200"` are the same key.
  package let key: String
  /// Where the key begins.
  package let place: YAMLPlace
  package let value: YAMLNode
}

/// A line and a column of a text, both from 1; a column counts Unicode scalars.
package struct YAMLPlace: Hashable, Sendable, CustomStringConvertible {
  package let line: Int
  package let column: Int

  package var description: String { "line \(line), column \(column)" }
}
