import Client
package import FoundationEssentials
package import GRDB
import JSON
package import Observability
package import Vault

/// Saves and reads what devices recorded; the only place that knows how it is stored.
package struct EvidenceStore: Sendable {
  /// The numbers that a process which ended too early may have given to rows that it did not save.
  static let reserve: UInt64 = 1000

  let database: any DatabaseWriter
  let key: SealingKey
  package let limits: EvidenceLimits
  /// The imports that are under way.
  let imports = ImportsUnderWay()

  /// A store on an open database (`EvidenceDatabase`); everything but what filters need is sealed with `key`.
  package init(database: any DatabaseWriter, key: SealingKey, limits: EvidenceLimits = EvidenceLimits()) {
    self.database = database
    self.key = key
    self.limits = limits
  }

  /// The key that a console's recordings are sealed with; the key of the tags outlives a rotation of the vault's key.
  package static func key(tagKey: [UInt8]) -> SealingKey? { SealingKey(bytes: HMAC.sha256(Array("evidence".utf8), key: tagKey)) }

  /// The folder of the database, or one for temporary files if it is in memory.
  var folder: String {
    let path = database.path
    return path.hasPrefix("/") ? String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]) : "/tmp"
  }

  // MARK: Reading

  /// What is saved for a device that wakes: the newest `limit` attempts and the pinned ones, the timeline and the faults.
  ///
  /// What was cleared is removed for good, and so is what is too old. Unreadable rows are left out.
  package func load(_ owner: EvidenceOwner, limit: Int, at now: Date) async throws -> SavedEvidence {
    let seal = EvidenceSeal(key: key, device: owner)
    return try await database.write { db in
      guard let device = try EvidenceDevice.fetch(owner, db) else { return SavedEvidence() }
      if device.clearedThrough > 0 { try device.removeCleared(through: device.clearedThrough, db) }
      try device.removeAged(before: now.addingTimeInterval(-Double(limits.days) * 86_400), db)
      var saved = SavedEvidence()
      saved.next = device.next
      if device.isAwake {
        saved.next += Self.reserve
        try device.noteGap(at: now, next: saved.next, db)
      }
      let newest = try Row.fetchAll(
        db, sql: "SELECT seq, row, rest FROM log_row WHERE device = ? ORDER BY seq DESC LIMIT ?", arguments: [device.id, limit])
      let first: Int64 = newest.last?["seq"] ?? 0
      let pinned = try Row.fetchAll(
        db, sql: "SELECT seq, row, rest FROM log_row WHERE device = ? AND is_pinned AND seq < ? ORDER BY seq",
        arguments: [device.id, first])
      saved.attempts = (pinned + newest.reversed()).compactMap { seal.attempt($0) }
      let count = try EvidenceDevice.fetch(owner, db)?.rows ?? 0
      saved.older = UInt64(max(0, count - newest.count - pinned.count))
      saved.gaps = try device.gaps(db)
      saved.timeline = try Row.fetchAll(
        db, sql: "SELECT seq, sealed FROM timeline_entry WHERE device = ? ORDER BY seq", arguments: [device.id]
      ).compactMap { row in
        guard let document = seal.open(row["sealed"] as Data, .timeline, row.seq) else { return nil }
        return try? JSONCoding.decode(TimelineEntry.self, from: document)
      }
      if let faults = device.faults.flatMap({ seal.open($0, .faults) }) {
        saved.faults = (try? JSONCoding.decode([SavedFault].self, from: faults, keys: .snakeCase)) ?? []
      }
      return saved
    }
  }

  /// One attempt; nil if it is not saved, or cleared.
  package func attempt(id: String, of owner: EvidenceOwner) async throws -> NetworkRowDetail? {
    let seal = EvidenceSeal(key: key, device: owner)
    return try await database.fetch { db in
      guard let device = try EvidenceDevice.fetch(owner, db) else { return nil }
      return try Row.fetchOne(
        db, sql: "SELECT seq, row, rest FROM log_row WHERE device = ? AND id = ? AND seq > ?",
        arguments: [device.id, id, device.clearedThrough]
      ).flatMap { seal.attempt($0) }
    }
  }

  /// The most rows, and the most bytes, that are saved for a device.
  func largest() async throws -> (rows: Int, bytes: Int) {
    try await database.fetch { db in
      let row = try Row.fetchOne(db, sql: "SELECT max(rows) AS rows, max(bytes) AS bytes FROM evidence_device")
      return (row?["rows"] ?? 0, row?["bytes"] ?? 0)
    }
  }

  /// How many recordings there are, those under way included.
  package func recordingCount() async throws -> Int {
    try await database.fetch { try Int.fetchOne($0, sql: "SELECT count(*) FROM recording") ?? 0 }
  }

  // MARK: Writing

  /// Saves batches in one transaction.
  func save(_ batches: [EvidenceBatch]) async throws {
    let sealed = batches.map { SealedBatch($0, EvidenceSeal(key: key, device: $0.owner)) }
    try await database.write { db in
      for batch in sealed {
        var device = try EvidenceDevice.made(batch.owner, db)
        try device.save(batch, db)
        try device.enforce(limits, db)
      }
    }
  }

  /// Hides the rows up to `through` until `removeCleared` or `restoreCleared`; those that were hidden before are removed, unless they
  /// are to come back with these.
  func clear(through: UInt64, keepingEarlier: Bool, of owner: EvidenceOwner) async throws {
    try await database.write { db in
      let device = try EvidenceDevice.made(owner, db)
      if !keepingEarlier, device.clearedThrough > 0 { try device.removeCleared(through: device.clearedThrough, db) }
      try db.execute(
        sql: "UPDATE evidence_device SET cleared_through = ? WHERE device = ?", arguments: [Int64(clamping: through), device.id])
    }
  }

  /// Brings back the rows that are hidden.
  func restoreCleared(of owner: EvidenceOwner) async throws {
    try await database.write { db in
      guard let device = try EvidenceDevice.fetch(owner, db) else { return }
      try db.execute(sql: "UPDATE evidence_device SET cleared_through = 0 WHERE device = ?", arguments: [device.id])
    }
  }

  /// Removes the rows that were hidden up to `through`.
  func removeCleared(through: UInt64, of owner: EvidenceOwner) async throws {
    try await database.write { db in try EvidenceDevice.fetch(owner, db)?.removeCleared(through: through, db) }
  }

  /// Removes everything of a device, with every backend.
  package func remove(deviceID: String) async throws {
    try await database.write { db in
      try db.execute(sql: "DELETE FROM evidence_device WHERE device_id = ?", arguments: [deviceID])
    }
  }

  /// Removes recordings that were not completed before the console ended.
  package func removeIncompleteRecordings() async throws { try await RecordingStore(store: self).removeIncomplete() }

  /// Removes everything of devices other than these.
  package func removeAll(but deviceIDs: Set<String>) async throws {
    try await database.write { db in
      for id in try String.fetchAll(db, sql: "SELECT DISTINCT device_id FROM evidence_device") where !deviceIDs.contains(id) {
        try db.execute(sql: "DELETE FROM evidence_device WHERE device_id = ?", arguments: [id])
      }
    }
  }
}

extension Row {
  /// The column `seq`.
  var seq: UInt64 { UInt64(clamping: self["seq"] as Int64) }
}

extension EvidenceSeal {
  /// Opens a blob; nil as for bytes.
  func open(_ sealed: Data, _ kind: Kind, _ seq: UInt64 = 0) -> [UInt8]? { open([UInt8](sealed), kind, seq) }

  /// The attempt of a row with the columns `seq`, `row` and `rest`.
  func attempt(_ row: Row) -> NetworkRowDetail? {
    attempt(row: [UInt8](row["row"] as Data), rest: [UInt8](row["rest"] as Data), row.seq)
  }
}
