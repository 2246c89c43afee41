import FoundationEssentials
import GRDB
import JSON
import Observability

/// The row of a device in the database of evidence.
struct EvidenceDevice {
  let id: Int64
  let next: UInt64
  let isAwake: Bool
  let clearedThrough: Int64
  let faults: Data?
  private(set) var rows: Int
  private var bytes: Int

  private init(_ row: Row) {
    id = row["device"]
    next = UInt64(clamping: row["next_seq"] as Int64)
    isAwake = row["is_awake"]
    clearedThrough = row["cleared_through"]
    faults = row["faults"]
    (rows, bytes) = (row["rows"], row["bytes"])
  }

  /// The device; nil if nothing was saved for it.
  static func fetch(_ owner: EvidenceOwner, _ db: Database) throws -> EvidenceDevice? {
    try Row.fetchOne(
      db.cachedStatement(sql: "SELECT * FROM evidence_device WHERE device_id = ? AND backend_id = ?"),
      arguments: [owner.deviceID, owner.backendID]
    ).map { EvidenceDevice($0) }
  }

  /// The device, created if it is missing.
  static func made(_ owner: EvidenceOwner, _ db: Database) throws -> EvidenceDevice {
    if let device = try fetch(owner, db) { return device }
    try db.cachedStatement(
      sql: "INSERT INTO evidence_device (device_id, backend_id) VALUES (?, ?)"
    ).execute(arguments: [owner.deviceID, owner.backendID])
    guard let device = try fetch(owner, db) else { throw DatabaseError(resultCode: .SQLITE_INTERNAL) }
    return device
  }

  /// Saves a batch.
  mutating func save(_ batch: SealedBatch, _ db: Database) throws {
    for attempt in batch.attempts { try save(attempt, db) }
    if let text = batch.text {
      bytes += text.sealed.count
      try db.cachedStatement(sql: "INSERT INTO log_text (device, first_seq, last_seq, sealed) VALUES (?, ?, ?, ?)")
        .execute(arguments: [id, text.first, text.last, text.sealed])
    }
    for entry in batch.timeline {
      try db.cachedStatement(sql: "INSERT OR REPLACE INTO timeline_entry (device, seq, sealed) VALUES (?, ?, ?)")
        .execute(arguments: [id, entry.seq, entry.sealed])
    }
    if let last = batch.timeline.last {
      try db.cachedStatement(
        sql: "DELETE FROM timeline_entry WHERE device = ? AND seq <= ?"
      ).execute(arguments: [id, last.seq - SealedBatch.timelineLimit])
    }
    if let faults = batch.faults {
      try db.cachedStatement(
        sql: "UPDATE evidence_device SET faults = ? WHERE device = ?"
      ).execute(arguments: [faults, id])
    }
    try db.cachedStatement(
      sql: "UPDATE evidence_device SET next_seq = max(next_seq, ?), is_awake = ?, rows = ?, bytes = ? WHERE device = ?"
    ).execute(arguments: [Int64(clamping: batch.next), batch.isAwake, rows, bytes, id])
  }

  private mutating func save(_ attempt: SealedAttempt, _ db: Database) throws {
    let stored = try Row.fetchOne(
      db.cachedStatement(sql: "SELECT length(row) AS row, length(rest) AS rest FROM log_row WHERE device = ? AND seq = ?"),
      arguments: [id, attempt.seq])
    if let stored, let row = stored["row"] as Int?, let rest = stored["rest"] as Int? {
      bytes += attempt.row.count - row + (attempt.rest.map { $0.count - rest } ?? 0)
      try db.cachedStatement(
        sql: """
          UPDATE log_row SET method = ?, endpoint = ?, status = ?, is_pinned = ?, row = ?, rest = coalesce(?, rest)
          WHERE device = ? AND seq = ?
          """
      ).execute(
        arguments: [
          attempt.method, attempt.endpoint, attempt.status, attempt.isPinned, attempt.row, attempt.rest, id, attempt.seq,
        ])
      return
    }
    // A row whose bodies left the memory was saved before; if not, it was removed by the limits, and stays so.
    guard let rest = attempt.rest else { return }
    rows += 1
    bytes += attempt.row.count + rest.count
    try db.cachedStatement(
      sql: """
        INSERT INTO log_row (device, seq, id, started_at, method, endpoint, flow, status, is_pinned, row, rest)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(
      arguments: [
        id, attempt.seq, attempt.id, attempt.startedAt, attempt.method, attempt.endpoint, attempt.flow, attempt.status,
        attempt.isPinned, attempt.row, rest,
      ])
  }

  // MARK: Gaps

  /// Notes that rows after the last saved one may be missing, and gives their numbers to nobody.
  func noteGap(at now: Date, next: UInt64, _ db: Database) throws {
    let last = try Int64.fetchOne(db.cachedStatement(sql: "SELECT max(seq) FROM log_row WHERE device = ?"), arguments: [id]) ?? 0
    try db.cachedStatement(
      sql: "INSERT OR REPLACE INTO log_gap (device, after_seq, found_at) VALUES (?, ?, ?)"
    ).execute(arguments: [id, last, Timestamp(now).milliseconds])
    try db.cachedStatement(
      sql: "UPDATE evidence_device SET is_awake = 0, next_seq = ? WHERE device = ?"
    ).execute(arguments: [Int64(clamping: next), id])
  }

  /// Where rows may be missing among those that are saved.
  func gaps(_ db: Database) throws -> [NetworkGap] {
    try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT after_seq, found_at FROM log_gap WHERE device = ?
            AND after_seq >= (SELECT coalesce(min(seq), 0) FROM log_row WHERE log_row.device = log_gap.device) ORDER BY after_seq
          """), arguments: [id]
    ).map { NetworkGap(after: UInt64(clamping: $0["after_seq"] as Int64), at: Timestamp(milliseconds: $0["found_at"])) }
  }

  // MARK: Limits

  /// Removes what was cleared, up to `through`.
  func removeCleared(through: some BinaryInteger, _ db: Database) throws {
    let through = Int64(clamping: through)
    try db.cachedStatement(
      sql: "DELETE FROM log_row WHERE device = ? AND seq <= ?"
    ).execute(arguments: [id, through])
    try db.cachedStatement(
      sql: "DELETE FROM log_gap WHERE device = ? AND after_seq <= ?"
    ).execute(arguments: [id, through])
    try db.cachedStatement(
      sql: "UPDATE evidence_device SET cleared_through = 0 WHERE device = ? AND cleared_through <= ?"
    ).execute(arguments: [id, through])
    try removeText(db)
    try recount(db)
  }

  /// Removes rows that began before a date, except pinned ones.
  func removeAged(before date: Date, _ db: Database) throws {
    // Rows are in the order in which they began, so that all before the first that is young enough are older.
    let young = try Int64.fetchOne(
      db.cachedStatement(sql: "SELECT seq FROM log_row WHERE device = ? AND started_at >= ? ORDER BY seq LIMIT 1"),
      arguments: [id, Timestamp(date).milliseconds])
    try db.cachedStatement(
      sql: "DELETE FROM log_row WHERE device = ? AND seq < ? AND NOT is_pinned"
    ).execute(arguments: [id, young ?? Int64.max])
    let count = db.changesCount
    guard count > 0 else { return }
    try removeText(db)
    try recount(db, evicted: count)
  }

  /// Removes the text of rows that are gone, and returns its bytes. Pinned rows do not keep it, since they are always in memory.
  @discardableResult private func removeText(_ db: Database) throws -> Int {
    try Int.fetchAll(
      db.cachedStatement(
        sql: """
          DELETE FROM log_text WHERE device = ?
            AND last_seq < (SELECT coalesce(min(seq), 9223372036854775807) FROM log_row WHERE device = ? AND NOT is_pinned)
          RETURNING length(sealed)
          """), arguments: [id, id]
    ).reduce(0, +)
  }

  private func recount(_ db: Database, evicted: Int = 0) throws {
    try db.cachedStatement(
      sql: """
        UPDATE evidence_device SET evicted = evicted + ?,
          (rows, bytes) = (
            SELECT count(*), coalesce(sum(length(row) + length(rest)), 0)
              + (SELECT coalesce(sum(length(sealed)), 0) FROM log_text WHERE device = ?)
            FROM log_row WHERE device = ?)
        WHERE device = ?
        """
    ).execute(arguments: [evicted, id, id, id])
  }

  /// Removes the oldest rows beyond the limits, pinned ones last.
  mutating func enforce(_ limits: EvidenceLimits, _ db: Database) throws {
    for order in ["is_pinned = 0", "is_pinned = 1"] {
      while rows > limits.rows || bytes > limits.bytes {
        let victims = try Row.fetchAll(
          db.cachedStatement(
            sql:
              "SELECT seq, length(row) + length(rest) AS size FROM log_row WHERE device = ? AND \(order) ORDER BY seq LIMIT 256"),
          arguments: [id])
        if victims.isEmpty { break }
        var (count, last) = (0, Int64(0))
        for victim in victims where rows > limits.rows || bytes > limits.bytes {
          rows -= 1
          bytes -= victim["size"] as Int
          last = victim["seq"]
          count += 1
        }
        try db.cachedStatement(
          sql: "DELETE FROM log_row WHERE device = ? AND \(order) AND seq <= ?"
        ).execute(arguments: [id, last])
        bytes -= try removeText(db)
        try db.cachedStatement(
          sql: "UPDATE evidence_device SET rows = ?, bytes = ?, evicted = evicted + ? WHERE device = ?"
        ).execute(arguments: [rows, bytes, count, id])
      }
    }
  }
}
