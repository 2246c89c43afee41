import FoundationEssentials
import GRDB
import JSON
package import Observability

extension EvidenceStore {
  /// The newest rows before `seq` that match, oldest first, and how many saved rows there are before the first of them.
  package func rows(
    before seq: UInt64, matching filter: NetworkFilter, limit: Int, of owner: EvidenceOwner
  ) async throws -> (rows: [NetworkRow], older: UInt64) {
    let seal = EvidenceSeal(key: key, device: owner)
    return try await database.fetch { db in
      guard let device = try EvidenceDevice.fetch(owner, db) else { return ([], 0) }
      let bounds = max(device.clearedThrough, Int64(clamping: filter.after ?? 0))..<Int64(clamping: seq)
      let numbers =
        if filter.needsText { try device.search(filter, in: bounds, seal, db) } else {
          try device.numbers(matching: filter, in: bounds, limit: limit, db)
        }
      let statement = try db.cachedStatement(sql: "SELECT seq, row FROM log_row WHERE device = ? AND seq = ?")
      var found: [NetworkRow] = []
      for number in numbers where found.count < limit {
        // A row may have changed after its text was written, or be unreadable.
        guard let row = try Row.fetchOne(statement, arguments: [device.id, number]),
          let document = seal.open(row["row"] as Data, .row, row.seq),
          let row = try? JSONCoding.decode(NetworkRow.self, from: document), filter.matches(row)
        else { continue }
        found.append(row)
      }
      let first = Int64(clamping: found.last?.seq ?? 0)
      let older = try Int.fetchOne(
        db, sql: "SELECT count(*) FROM log_row WHERE device = ? AND seq > ? AND seq < ?",
        arguments: [device.id, device.clearedThrough, first])
      return (found.reversed(), UInt64(older ?? 0))
    }
  }
}

extension EvidenceDevice {
  /// The newest rows between the bounds, both excluded, that match what has columns; newest first.
  fileprivate func numbers(matching filter: NetworkFilter, in bounds: Range<Int64>, limit: Int, _ db: Database) throws -> [Int64]
  {
    var (sql, values): (String, StatementArguments) = ("", [id, bounds.lowerBound, bounds.upperBound])
    if let method = filter.method { (sql, values) = (sql + " AND method = ?", values + [method.uppercased()]) }
    if let endpoint = filter.endpoint { (sql, values) = (sql + " AND endpoint = ?", values + [endpoint]) }
    switch filter.status {
    case .code(let code): (sql, values) = (sql + " AND status = ?", values + [code])
    case .statusClass(let hundred):
      (sql, values) = (sql + " AND status BETWEEN ? AND ?", values + [hundred * 100, hundred * 100 + 99])
    case .error, nil: break
    }
    return try Int64.fetchAll(
      db, sql: "SELECT seq FROM log_row WHERE device = ? AND seq > ? AND seq < ?\(sql) ORDER BY seq DESC LIMIT ?",
      arguments: values + [limit])
  }

  /// The rows between the bounds, both excluded, whose text matches or once matched; newest first.
  fileprivate func search(_ filter: NetworkFilter, in bounds: Range<Int64>, _ seal: EvidenceSeal, _ db: Database) throws
    -> [Int64]
  {
    let query = SearchText.Query(filter)
    let texts = try Row.fetchCursor(
      db, sql: "SELECT last_seq AS seq, sealed FROM log_text WHERE device = ? AND last_seq > ? AND first_seq < ?",
      arguments: [id, bounds.lowerBound, bounds.upperBound])
    var found: [UInt64] = []
    while let row = try texts.next() {
      guard let document = seal.open(row["sealed"] as Data, .text, row.seq) else { continue }
      query.search(document, into: &found)
    }
    var numbers = found.map { Int64(clamping: $0) }.filter { $0 > bounds.lowerBound && $0 < bounds.upperBound }
    numbers.sort(by: >)
    var last: Int64?
    return numbers.filter { number in
      defer { last = number }
      return number != last
    }
  }
}

extension NetworkFilter {
  /// Whether the columns of a row do not answer it.
  fileprivate var needsText: Bool { text != nil || drift != nil || status == .error }
}
