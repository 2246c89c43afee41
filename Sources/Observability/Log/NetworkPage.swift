/// A part of the network log, as the list answers.
package struct NetworkPage: Encodable, Equatable, Sendable {
  /// The rows that fit, oldest first.
  package let events: [NetworkRow]
  /// The `seq` to ask on with as `after`.
  package let next: UInt64
  /// How many rows gave way to later ones since the log was made or cleared.
  package let dropped: UInt64
  /// How many rows the log holds at most.
  package let capacity: Int
}

/// A part of a search through the bodies of the log.
package struct NetworkSearchPage: Encodable, Equatable, Sendable {
  /// The `seq` of the rows with the text in a body, oldest first.
  package let matches: [UInt64]
  /// The `seq` to search on with as `after`.
  package let next: UInt64
  /// Whether every row there is was looked at.
  package let done: Bool
}
