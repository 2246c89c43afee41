package import JSON

/// A part of the network log, as `GET /api/network` returns it.
package struct NetworkPage: Codable, Equatable, Sendable {
  /// The matching rows, oldest first.
  package let events: [NetworkRow]
  /// The `seq` to continue from, as `after`.
  package let next: RowSequence
  /// The number of rows evicted since the log was created or cleared; of a saved log, only the unsaved ones.
  package let dropped: UInt64
  /// The most rows in the memory of the log.
  package let capacity: Int
  /// The number of saved rows before those in memory or on this page, which `before` selects; nil if the log is not saved.
  package let older: UInt64?
  /// The rows after which others may be missing; nil if there are none.
  package let gaps: [NetworkGap]?

  package init(
    events: [NetworkRow], next: RowSequence, dropped: UInt64, capacity: Int, older: UInt64? = nil, gaps: [NetworkGap]? = nil
  ) {
    self.events = events
    self.next = next
    self.dropped = dropped
    self.capacity = capacity
    self.older = older
    self.gaps = gaps
  }
}

/// A place in the log where rows may be missing, because the console ended before it saved them.
package struct NetworkGap: Codable, Hashable, Sendable {
  /// The `seq` of the last saved row before it; 0 if there is none.
  package let after: RowSequence
  /// When the device was started again.
  package let at: Timestamp

  package init(after: RowSequence, at: Timestamp) {
    self.after = after
    self.at = at
  }
}

/// A part of a search in bodies.
package struct NetworkSearchPage: Codable, Equatable, Sendable {
  /// The `seq` of the matching rows, oldest first.
  package let matches: [RowSequence]
  /// The `seq` to continue from, as `after`.
  package let next: RowSequence
  /// Whether every row was searched.
  package let done: Bool
}
