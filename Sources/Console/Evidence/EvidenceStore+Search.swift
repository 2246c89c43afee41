import FoundationEssentials
import JSON
package import Observability
import Storage

extension EvidenceStore {
  /// The newest rows before `seq` that match, oldest first, and how many saved rows there are before the first of them.
  package func rows(
    before seq: RowSequence, matching filter: NetworkFilter, limit: Int, of owner: EvidenceOwner
  ) async throws -> (rows: [NetworkRow], older: UInt64) {
    let seal = EvidenceSeal(key: key, device: owner)
    return try await storage.read { transaction in
      guard let device = try EvidenceDevice.fetch(owner, transaction) else { return ([], 0) }
      let bounds = SequenceBounds(
        after: max(device.clearedThrough, filter.after ?? 0), before: seq)
      let numbers =
        if filter.needsText { try device.search(filter, in: bounds, seal, transaction) } else {
          try device.numbers(matching: filter, in: bounds, limit: limit, transaction)
        }
      var found: [NetworkRow] = []
      for number in numbers where found.count < limit {
        // A row may have changed after its text was written, or be unreadable.
        let saved = try transaction.first("SELECT seq, row FROM log_row WHERE device = ? AND seq = ?", device.id, number)
        guard let saved, let document = seal.open(try saved.bytes("row"), .row, try saved.seq),
          let row = try? JSONCoding.decode(NetworkRow.self, from: document), filter.matches(row)
        else { continue }
        found.append(row)
      }
      let first = found.last?.seq ?? 0
      let older = try transaction.number(
        "SELECT count(*) AS count FROM log_row WHERE device = ? AND seq > ? AND seq < ?", device.id, device.clearedThrough, first)
      return (found.reversed(), UInt64(clamping: older ?? 0))
    }
  }
}

/// The numbers of rows between two bounds, both excluded; none if they contradict each other, which whoever asks may let them do.
private struct SequenceBounds {
  let after: RowSequence
  let before: RowSequence

  func contains(_ seq: RowSequence) -> Bool { seq > after && seq < before }
}

extension EvidenceDevice {
  /// The newest rows between the bounds, both excluded, that match what has columns; newest first.
  fileprivate func numbers(
    matching filter: NetworkFilter, in bounds: SequenceBounds, limit: Int, _ transaction: any StorageTransaction
  ) throws -> [RowSequence] {
    var sql = ""
    var values: [any StorageConvertible] = [id, bounds.after, bounds.before]
    if let method = filter.method { (sql, values) = (sql + " AND method = ?", values + [method.uppercased()]) }
    if let endpoint = filter.endpoint { (sql, values) = (sql + " AND endpoint = ?", values + [endpoint]) }
    switch filter.status {
    case .code(let code): (sql, values) = (sql + " AND status = ?", values + [code])
    case .statusClass(let hundred):
      (sql, values) = (sql + " AND status BETWEEN ? AND ?", values + [hundred * 100, hundred * 100 + 99])
    case .error, nil: break
    }
    return try transaction.rows(
      "SELECT seq FROM log_row WHERE device = ? AND seq > ? AND seq < ?\(sql) ORDER BY seq DESC LIMIT ?",
      (values + [limit]).map(\.storageValue)
    ).map { try $0.sequence("seq") }
  }

  /// The rows between the bounds, both excluded, whose text matches or once matched; newest first.
  fileprivate func search(
    _ filter: NetworkFilter, in bounds: SequenceBounds, _ seal: EvidenceSeal, _ transaction: any StorageTransaction
  ) throws -> [RowSequence] {
    let query = SearchText.Query(filter)
    var found: [RowSequence] = []
    try transaction.each(
      "SELECT last_seq AS seq, sealed FROM log_text WHERE device = ? AND last_seq > ? AND first_seq < ?", id, bounds.after,
      bounds.before
    ) { row in
      guard let document = seal.open(try row.bytes("sealed"), .text, try row.seq) else { return }
      query.search(document, into: &found)
    }
    var numbers = found.filter(bounds.contains)
    numbers.sort(by: >)
    var last: RowSequence?
    return numbers.filter { number in
      defer { last = number }
      return number != last
    }
  }
}

extension NetworkFilter {
  /// Whether the columns of a row do not answer it.
  fileprivate var needsText: Bool {
    text != nil || drift != nil || source != nil || status == .error
      || [method?.uppercased(), endpoint].contains { $0.map { $0 != $0.column } ?? false }
  }
}
