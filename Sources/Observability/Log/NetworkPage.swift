/// A part of the network log, as `GET /api/network` returns it.
package struct NetworkPage: Codable, Equatable, Sendable {
  /// The matching rows, oldest first.
  package let events: [NetworkRow]
  /// The `seq` to continue from, as `after`.
  package let next: UInt64
  /// The number of rows evicted since the log was created or cleared.
  package let dropped: UInt64
  /// The most rows in the log.
  package let capacity: Int
}

/// A part of a search in bodies.
package struct NetworkSearchPage: Codable, Equatable, Sendable {
  /// The `seq` of the matching rows, oldest first.
  package let matches: [UInt64]
  /// The `seq` to continue from, as `after`.
  package let next: UInt64
  /// Whether every row was searched.
  package let done: Bool
}
