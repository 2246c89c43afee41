/// The rows of one export, each once and oldest first, as they were at one moment.
///
/// Their bodies are shared with the log, so the copy costs the rows alone.
package struct ExportSelection: Sendable {
  /// The rows whole.
  package let rows: [NetworkRowDetail]

  /// The rows given.
  package init(rows: [NetworkRowDetail]) { self.rows = rows }

  /// The rows of the log that pass the filter and, where ids are given, are among them; ids that the log does not hold are passed over.
  package init(of log: NetworkLog, filter: NetworkFilter = NetworkFilter(), ids: Set<String>? = nil) {
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
