/// A part of a search through the bodies of the log.
package struct NetworkSearchPage: Encodable, Equatable, Sendable {
  /// The `seq` of the rows with the text in a body, oldest first.
  package let matches: [UInt64]
  /// The `seq` to search on with as `after`.
  package let next: UInt64
  /// Whether every row there is was looked at.
  package let done: Bool
}
