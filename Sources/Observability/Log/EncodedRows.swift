/// The newest rows of a log as JSON, so that lists need not encode them again.
struct EncodedRows {
  /// How many of the newest rows are kept; about 700 bytes each.
  static let limit: UInt64 = 256

  private var rows: [RowSequence: (rev: Int, json: [UInt8])] = [:]

  /// The number of kept rows.
  var count: Int { rows.count }

  /// The row as JSON, written if it is not kept with the same revision. `next` is the `seq` of the next row of the log.
  mutating func json(of row: NetworkRow, next: RowSequence) -> [UInt8] {
    guard row.seq.advanced(by: Self.limit) >= next else { return row.json }
    if let (rev, json) = rows[row.seq], rev == row.rev { return json }
    let json = row.json
    rows[row.seq] = (row.rev, json)
    if rows.count > 2 * Self.limit { rows = rows.filter { $0.key.advanced(by: Self.limit) >= next } }
    return json
  }
}
