import FoundationEssentials
import JSON
import Observability
import Storage

extension EvidenceDevice {
  /// Removes what was cleared, up to `through`.
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
    // Rows are in the order in which they began, so that all before the first that is young enough are older.
    let young = try transaction.number(
      "SELECT seq FROM log_row WHERE device = ? AND started_at >= ? ORDER BY seq LIMIT 1", id, Timestamp(date).milliseconds)
    let count = try transaction.execute(
      "DELETE FROM log_row WHERE device = ? AND seq < ? AND is_pinned = 0", id, young ?? Int64.max)
    guard count > 0 else { return }
    try removeText(transaction)
    try recount(transaction, evicted: count)
  }

  /// Removes the text of rows that are gone, and returns its bytes. Pinned rows do not keep it, since they are always in memory.
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
  mutating func enforce(_ limits: EvidenceLimits, _ transaction: any StorageTransaction) throws(StorageError) {
    for order in ["is_pinned = 0", "is_pinned = 1"] {
      while rows > limits.rows || bytes > limits.bytes {
        let victims = try transaction.rows(
          "SELECT seq, length(row) + length(rest) AS size FROM log_row WHERE device = ? AND \(order) ORDER BY seq LIMIT 256", id)
        if victims.isEmpty { break }
        var (count, last): (Int, RowSequence) = (0, 0)
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
