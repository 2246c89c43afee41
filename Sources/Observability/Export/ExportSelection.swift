/// A snapshot of the rows of one export, oldest first, without duplicates.
///
/// The bodies are shared with the log, so only the rows are copied.
package struct ExportSelection: Sendable {
  /// The full rows.
  package let rows: [NetworkRowDetail]

  /// Whether they are all rows of the log; a partial selection can lack the end of the session.
  package let isWhole: Bool

  package init(rows: [NetworkRowDetail], isWhole: Bool = true) { (self.rows, self.isWhole) = (rows, isWhole) }

  /// The rows of the log that match the filter, and have one of `ids` if given; unknown IDs are ignored.
  package init(of log: NetworkLog, filter: NetworkFilter = NetworkFilter(), ids: Set<String>? = nil) {
    isWhole = ids == nil && filter == NetworkFilter()
    var filter = filter
    let limit = filter.limit ?? .max
    var rows: [NetworkRowDetail] = []
    while rows.count < limit {
      filter.limit = NetworkFilter.maximumLimit
      let page = log.rows(filter: filter)
      for row in page.events where rows.count < limit && ids?.contains(row.id) ?? true {
        if let detail = log.detail(id: row.id) { rows.append(detail) }
      }
      if page.events.count < NetworkFilter.maximumLimit { break }
      filter.after = page.next
    }
    self.rows = rows
  }
}
