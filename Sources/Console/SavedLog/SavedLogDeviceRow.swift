import FoundationEssentials
import JSON
import Observability
package import Storage

/// The row of a device in the database of saved logs.
struct SavedLogDeviceRow {
  /// The number of rows whose sizes one statement reads.
  private static let asked = 64

  let id: Int64
  let next: RowSequence
  let isAwake: Bool
  let clearedThrough: RowSequence
  let faults: [UInt8]?
  var rows: Int
  private var bytes: Int

  private init(_ row: StorageRow) throws(StorageError) {
    id = try row.integer("device")
    next = try row.sequence("next_seq")
    isAwake = try row.flag("is_awake")
    clearedThrough = try row.sequence("cleared_through")
    faults = try row.optionalBytes("faults")
    rows = try row.int("rows")
    bytes = try row.int("bytes")
  }

  /// The device; nil if nothing was saved for it.
  static func fetch(_ owner: SavedLogOwner, _ transaction: any StorageTransaction) throws(StorageError) -> SavedLogDeviceRow? {
    try transaction.first(
      "SELECT * FROM evidence_device WHERE device_id = ? AND backend_id = ?", owner.deviceID, owner.backendID
    ).map { row throws(StorageError) in try SavedLogDeviceRow(row) }
  }

  /// The device, created if it is missing.
  static func made(_ owner: SavedLogOwner, _ transaction: any StorageTransaction) throws(StorageError) -> SavedLogDeviceRow {
    if let device = try fetch(owner, transaction) { return device }
    let made = try transaction.first(
      """
      INSERT INTO evidence_device (device_id, backend_id) VALUES (?, ?) ON CONFLICT (device_id, backend_id) DO NOTHING RETURNING *
      """, owner.deviceID, owner.backendID)
    guard let made else { throw .conflict }
    return try SavedLogDeviceRow(made)
  }

  mutating func save(_ batch: SealedBatch, _ transaction: any StorageTransaction) throws(StorageError) {
    var sizes = try sizes(of: batch.attempts, transaction)
    for attempt in batch.attempts { try save(attempt, &sizes, transaction) }
    if let text = batch.text {
      bytes += text.sealed.count
      try transaction.execute(
        "INSERT INTO log_text (device, first_seq, last_seq, sealed) VALUES (?, ?, ?, ?)", id, text.first, text.last, text.sealed)
    }
    for entry in batch.timeline {
      try transaction.execute(
        """
        INSERT INTO timeline_entry (device, seq, sealed) VALUES (?, ?, ?)
        ON CONFLICT (device, seq) DO UPDATE SET sealed = excluded.sealed
        """, id, entry.seq, entry.sealed)
    }
    if let last = batch.timeline.last {
      try transaction.execute(
        "DELETE FROM timeline_entry WHERE device = ? AND seq <= ?", id, last.seq.moved(back: SealedBatch.timelineLimit))
    }
    try transaction.execute(
      """
      UPDATE evidence_device SET next_seq = ?, is_awake = ?, rows = ?, bytes = ?, faults = coalesce(?, faults) WHERE device = ?
      """, max(next, batch.next), batch.isAwake, rows, bytes, batch.faults, id)
  }

  /// How many bytes the saved ones of these attempts take, by their numbers.
  private func sizes(
    of attempts: [SealedAttempt], _ transaction: any StorageTransaction
  ) throws(StorageError) -> [RowSequence: (row: Int, rest: Int)] {
    var sizes: [RowSequence: (row: Int, rest: Int)] = [:]
    let places = Array(repeating: "?", count: Self.asked).joined(separator: ", ")
    for start in stride(from: 0, to: attempts.count, by: Self.asked) {
      let part = attempts[start..<min(start + Self.asked, attempts.count)].map(\.seq.storageValue)
      // The last one fills the remaining places, so that it is the same statement for each batch.
      let filling = repeatElement(part[part.count - 1], count: Self.asked - part.count)
      let saved = try transaction.rows(
        """
        SELECT seq, length(row) AS row_size, length(rest) AS rest_size FROM log_row WHERE device = ? AND seq IN (\(places))
        """, [id.storageValue] + part + filling)
      for row in saved { sizes[try row.seq] = (try row.int("row_size"), try row.int("rest_size")) }
    }
    return sizes
  }

  private mutating func save(
    _ attempt: SealedAttempt, _ sizes: inout [RowSequence: (row: Int, rest: Int)], _ transaction: any StorageTransaction
  ) throws(StorageError) {
    if let saved = sizes[attempt.seq] {
      let size = (row: attempt.row.count, rest: attempt.rest?.count ?? saved.rest)
      bytes += size.row - saved.row + size.rest - saved.rest
      sizes[attempt.seq] = size
      try transaction.execute(
        """
        UPDATE log_row SET method = ?, endpoint = ?, status = ?, is_pinned = ?, row = ?, rest = coalesce(?, rest)
        WHERE device = ? AND seq = ?
        """, attempt.method, attempt.endpoint, attempt.status, attempt.isPinned, attempt.row, attempt.rest, id, attempt.seq)
      return
    }
    // A row whose bodies left the memory was saved before; if not, it was removed by the limits, and stays so.
    guard let rest = attempt.rest else { return }
    rows += 1
    bytes += attempt.row.count + rest.count
    sizes[attempt.seq] = (attempt.row.count, rest.count)
    try transaction.execute(
      """
      INSERT INTO log_row (device, seq, id, started_at, method, endpoint, flow, status, is_pinned, row, rest)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, id, attempt.seq, attempt.id, attempt.startedAt, attempt.method, attempt.endpoint, attempt.flow, attempt.status,
      attempt.isPinned, attempt.row, rest)
  }

  // MARK: Gaps

  /// Records that rows after the last saved one may be missing, and skips their numbers.
  func noteGap(at now: Date, next: RowSequence, _ transaction: any StorageTransaction) throws(StorageError) {
    let last = try transaction.number("SELECT max(seq) AS seq FROM log_row WHERE device = ?", id) ?? 0
    try transaction.execute(
      """
      INSERT INTO log_gap (device, after_seq, found_at) VALUES (?, ?, ?)
      ON CONFLICT (device, after_seq) DO UPDATE SET found_at = excluded.found_at
      """, id, last, Timestamp(now).milliseconds)
    try transaction.execute(
      "UPDATE evidence_device SET is_awake = 0, next_seq = ? WHERE device = ?", next, id)
  }

  /// Where rows may be missing among those that are saved.
  func gaps(_ transaction: any StorageTransaction) throws -> [NetworkGap] {
    try transaction.rows(
      """
      SELECT after_seq, found_at FROM log_gap WHERE device = ?
        AND after_seq >= (SELECT coalesce(min(seq), 0) FROM log_row WHERE log_row.device = log_gap.device) ORDER BY after_seq
      """, id
    ).map { row in
      NetworkGap(
        after: try row.sequence("after_seq"), at: Timestamp(milliseconds: try row.integer("found_at")))
    }
  }
}

extension SavedLogDeviceRow {
  /// Deletes the cleared rows up to `through`.
  func removeCleared(through: RowSequence, _ transaction: any StorageTransaction) throws(StorageError) {
    try transaction.execute("DELETE FROM log_row WHERE device = ? AND seq <= ?", id, through)
    try transaction.execute("DELETE FROM log_gap WHERE device = ? AND after_seq <= ?", id, through)
    try transaction.execute(
      "UPDATE evidence_device SET cleared_through = 0 WHERE device = ? AND cleared_through <= ?", id, through)
    try removeText(transaction)
    try recount(transaction)
  }

  /// Removes rows that began before a date, except pinned ones.
  func removeAged(before date: Date, _ transaction: any StorageTransaction) throws(StorageError) {
    // Rows are in the order in which they began, so that all before the first one young enough are too old.
    let young = try transaction.number(
      "SELECT seq FROM log_row WHERE device = ? AND started_at >= ? ORDER BY seq LIMIT 1", id, Timestamp(date).milliseconds)
    let count = try transaction.execute(
      "DELETE FROM log_row WHERE device = ? AND seq < ? AND is_pinned = 0", id, young ?? Int64.max)
    guard count > 0 else { return }
    try removeText(transaction)
    try recount(transaction, evicted: count)
  }

  /// Deletes the text of deleted rows, and returns its bytes. Pinned rows do not keep it, because they are always in memory.
  @discardableResult private func removeText(_ transaction: any StorageTransaction) throws(StorageError) -> Int {
    let removed = try transaction.rows(
      """
      DELETE FROM log_text WHERE device = ?
        AND last_seq < (SELECT coalesce(min(seq), 9223372036854775807) FROM log_row WHERE device = ? AND is_pinned = 0)
      RETURNING length(sealed) AS size
      """, id, id)
    var size = 0
    for row in removed { size += try row.int("size") }
    return size
  }

  private func recount(_ transaction: any StorageTransaction, evicted: Int = 0) throws(StorageError) {
    try transaction.execute(
      """
      UPDATE evidence_device SET evicted = evicted + ?,
        (rows, bytes) = (
          SELECT count(*), CAST(coalesce(sum(length(row) + length(rest)), 0)
            + (SELECT coalesce(sum(length(sealed)), 0) FROM log_text WHERE device = ?) AS BIGINT)
          FROM log_row WHERE device = ?)
      WHERE device = ?
      """, evicted, id, id, id)
  }

  /// Removes the oldest rows beyond the limits, pinned ones last.
  mutating func enforce(_ limits: SavedLogLimits, _ transaction: any StorageTransaction) throws(StorageError) {
    for order in ["is_pinned = 0", "is_pinned = 1"] {
      while rows > limits.rows || bytes > limits.bytes {
        let victims = try transaction.rows(
          "SELECT seq, length(row) + length(rest) AS size FROM log_row WHERE device = ? AND \(order) ORDER BY seq LIMIT 256", id)
        if victims.isEmpty { break }
        var count: Int = 0
        var last: RowSequence = 0
        for victim in victims where rows > limits.rows || bytes > limits.bytes {
          rows -= 1
          bytes -= try victim.int("size")
          last = try victim.seq
          count += 1
        }
        try transaction.execute("DELETE FROM log_row WHERE device = ? AND \(order) AND seq <= ?", id, last)
        bytes -= try removeText(transaction)
        try transaction.execute(
          "UPDATE evidence_device SET rows = ?, bytes = ?, evicted = evicted + ? WHERE device = ?", rows, bytes, count, id)
      }
    }
  }
}

extension RowSequence: StorageConvertible {
  package var storageValue: StorageValue { .integer(Int64(clamping: number)) }
}

extension StorageRow {
  /// The sequence of a column; nil for null. Throws ``StorageError/mismatch(_:)``.
  func sequence(_ name: String) throws(StorageError) -> RowSequence { RowSequence(clamping: try integer(name)) }
}
