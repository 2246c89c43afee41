package import Client
package import FoundationEssentials
import JSON
package import Observability
package import Redaction
package import Storage
package import Vault

/// Saves and reads devices' records; the only type that contains their storage format.
package struct SavedLogStore: Sendable {
  /// The numbers that a process which ended too early may have given to rows that it did not save.
  private static let reserve: UInt64 = 1000

  let storage: any StorageEngine
  let key: SealingKey
  package let limits: SavedLogLimits
  /// The rules for masking imported rows.
  let redactionRules: RedactionRules
  /// Where temporary files are, which are sealed.
  let folder: String
  /// The imports that are under way.
  let imports = ImportsUnderWay()

  /// A store on tables that exist (``SavedLogSchema``); all data except the columns of filters is sealed with `key`.
  ///
  /// Temporary files are in `folder`; by default next to the database if it is a file, or in the system's folder for them.
  package init(
    storage: any StorageEngine, key: SealingKey, limits: SavedLogLimits = SavedLogLimits(), folder: String? = nil,
    redactionRules: RedactionRules = .all
  ) {
    self.redactionRules = redactionRules
    self.storage = storage
    self.key = key
    self.limits = limits
    self.folder = folder ?? Self.folder(of: storage) ?? FileManager.default.temporaryDirectory.path
  }

  /// The folder of a database's file; nil if it is none.
  private static func folder(of storage: any StorageEngine) -> String? {
    guard let path = (storage as? SQLiteStorage)?.path else { return nil }
    return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }

  /// The key that a console's recordings are sealed with; the key of the tags outlives a rotation of the vault's key.
  package static func key(tagKey: [UInt8]) -> SealingKey? { SealingKey(bytes: HMAC.sha256(Array("evidence".utf8), key: tagKey)) }

  // MARK: Reading

  /// Reads the saved records of a device that wakes: the newest `limit` attempts and the pinned ones, the timeline and the
  /// faults.
  ///
  /// Deletes the cleared rows and the expired ones. Leaves out unreadable rows.
  package func load(_ owner: SavedLogOwner, limit: Int, at now: Date) async throws -> SavedLogContents {
    let seal = SavedLogSeal(key: key, device: owner)
    let oldest = now.addingTimeInterval(-Double(limits.days) * 86_400)
    return try await storage.write { transaction in
      try owner.fence?.check(transaction)
      guard let device = try SavedLogDeviceRow.fetch(owner, transaction) else { return SavedLogContents() }
      if device.clearedThrough > 0 { try device.removeCleared(through: device.clearedThrough, transaction) }
      try device.removeAged(before: oldest, transaction)
      var saved = SavedLogContents()
      saved.next = device.next
      if device.isAwake {
        saved.next = saved.next.advanced(by: Self.reserve)
        try device.noteGap(at: now, next: saved.next, transaction)
      }
      let newest = try transaction.rows(
        "SELECT seq, row, rest FROM log_row WHERE device = ? ORDER BY seq DESC LIMIT ?", device.id, limit)
      let pinned = try transaction.rows(
        "SELECT seq, row, rest FROM log_row WHERE device = ? AND is_pinned = 1 AND seq < ? ORDER BY seq", device.id,
        try newest.last?.seq ?? 0)
      saved.attempts = try (pinned + newest.reversed()).compactMap { try seal.attempt($0) }
      let count = try SavedLogDeviceRow.fetch(owner, transaction)?.rows ?? 0
      saved.older = UInt64(max(0, count - newest.count - pinned.count))
      saved.gaps = try device.gaps(transaction)
      saved.timeline = try transaction.rows(
        "SELECT seq, sealed FROM timeline_entry WHERE device = ? ORDER BY seq", device.id
      ).compactMap { row in
        guard let document = seal.open(try row.bytes("sealed"), .timeline, try row.seq) else { return nil }
        return try? JSONCoding.decode(TimelineEntry.self, from: document)
      }
      if let faults = device.faults.flatMap({ seal.open($0, .faults) }) {
        saved.faults = (try? JSONCoding.decode([FaultEntry].self, from: faults, keys: .snakeCase)) ?? []
      }
      return saved
    }
  }

  /// One attempt; nil if it is not saved, or cleared.
  package func attempt(id: String, of owner: SavedLogOwner) async throws -> NetworkRowDetail? {
    let seal = SavedLogSeal(key: key, device: owner)
    return try await storage.read { transaction in
      guard let device = try SavedLogDeviceRow.fetch(owner, transaction) else { return nil }
      // Compared here: with a bound on `seq`, SQLite would walk all rows instead of using the index of ids.
      let row = try transaction.first("SELECT seq, row, rest FROM log_row WHERE device = ? AND id = ?", device.id, id.column)
      guard let row, try row.seq > device.clearedThrough else { return nil }
      return try seal.attempt(row)
    }
  }

  /// The most rows, and the most bytes, that are saved for a device.
  func largest() async throws -> (rows: Int, bytes: Int) {
    try await storage.read { transaction in
      let row = try transaction.first("SELECT max(rows) AS rows, max(bytes) AS bytes FROM evidence_device")
      return (try row?.optionalInt("rows") ?? 0, try row?.optionalInt("bytes") ?? 0)
    }
  }

  /// How many recordings there are, those under way included.
  package func recordingCount() async throws -> Int {
    try await storage.read { Int(try $0.number("SELECT count(*) AS count FROM recording") ?? 0) }
  }

  // MARK: Writing

  /// Saves batches in one transaction, without those of devices that other consoles have taken.
  func save(_ batches: [SavedLogBatch]) async throws {
    let sealed = batches.map { SealedBatch($0, SavedLogSeal(key: key, device: $0.owner)) }
    try await storage.write { [limits] transaction in
      for batch in sealed {
        if let fence = batch.owner.fence, try !fence.isOpen(transaction) { continue }
        var device = try SavedLogDeviceRow.made(batch.owner, transaction)
        try device.save(batch, transaction)
        try device.enforce(limits, transaction)
      }
    }
  }

  /// Hides the rows up to `through` until `removeCleared` or `restoreCleared`; those that were hidden before are removed, unless they
  /// are to come back with these.
  func clear(through: RowSequence, keepingEarlier: Bool, of owner: SavedLogOwner) async throws {
    try await storage.write { transaction in
      try owner.fence?.check(transaction)
      let device = try SavedLogDeviceRow.made(owner, transaction)
      if !keepingEarlier, device.clearedThrough > 0 { try device.removeCleared(through: device.clearedThrough, transaction) }
      try transaction.execute(
        "UPDATE evidence_device SET cleared_through = ? WHERE device = ?", through, device.id)
    }
  }

  /// Brings back the rows that are hidden.
  func restoreCleared(of owner: SavedLogOwner) async throws {
    try await storage.write { transaction in
      try owner.fence?.check(transaction)
      guard let device = try SavedLogDeviceRow.fetch(owner, transaction) else { return }
      try transaction.execute("UPDATE evidence_device SET cleared_through = 0 WHERE device = ?", device.id)
    }
  }

  /// Removes the rows that were hidden up to `through`.
  func removeCleared(through: RowSequence, of owner: SavedLogOwner) async throws {
    try await storage.write { transaction in
      try owner.fence?.check(transaction)
      try SavedLogDeviceRow.fetch(owner, transaction)?.removeCleared(through: through, transaction)
    }
  }

  /// Deletes all data of a device, for every backend.
  package func remove(deviceID: String) async throws {
    try await storage.write { try $0.execute("DELETE FROM evidence_device WHERE device_id = ?", deviceID) }
  }

  /// Removes recordings that were not completed before the console ended.
  package func removeIncompleteRecordings() async throws { try await RecordingStore(store: self).removeIncomplete() }

  /// Removes recordings that are not complete and were begun more than a day ago: other consoles may be making the younger ones.
  package func removeIncompleteRecordings(dayBefore now: Date) async throws {
    try await RecordingStore(store: self).removeIncomplete(before: Timestamp(now.addingTimeInterval(-86_400)))
  }

  /// Deletes all data of devices other than these.
  package func removeAll(but deviceIDs: Set<String>) async throws {
    try await storage.write { transaction in
      for row in try transaction.rows("SELECT DISTINCT device_id FROM evidence_device") {
        let id = try row.text("device_id")
        if !deviceIDs.contains(id) { try transaction.execute("DELETE FROM evidence_device WHERE device_id = ?", id) }
      }
    }
  }

  /// Deletes all data of deleted devices, if the devices are in the same database.
  package func removeAllOfGoneDevices() async throws {
    try await storage.write { transaction in
      try transaction.execute("DELETE FROM evidence_device WHERE device_id NOT IN (SELECT device_id FROM device)")
    }
  }
}

extension StorageRow {
  /// The column `seq`.
  var seq: RowSequence { get throws(StorageError) { try sequence("seq") } }
}

extension SavedLogSeal {
  /// The attempt of a row with the columns `seq`, `row` and `rest`; nil if they do not open.
  func attempt(_ row: StorageRow) throws(StorageError) -> NetworkRowDetail? {
    attempt(row: try row.bytes("row"), rest: try row.bytes("rest"), try row.seq)
  }
}

extension SavedLogStore {
  /// The newest rows before `seq` that match, oldest first, and how many saved rows there are before the first of them.
  package func rows(
    before seq: RowSequence, matching filter: NetworkFilter, limit: Int, of owner: SavedLogOwner
  ) async throws -> (rows: [NetworkRow], older: UInt64) {
    let seal = SavedLogSeal(key: key, device: owner)
    return try await storage.read { transaction in
      guard let device = try SavedLogDeviceRow.fetch(owner, transaction) else { return ([], 0) }
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

/// The numbers of rows between two bounds, both excluded; none if the bounds contradict each other, which callers may cause.
private struct SequenceBounds {
  let after: RowSequence
  let before: RowSequence

  func contains(_ seq: RowSequence) -> Bool { seq > after && seq < before }
}

extension SavedLogDeviceRow {
  /// The newest rows between the bounds, both excluded, that match the filter's conditions on columns; newest first.
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
    _ filter: NetworkFilter, in bounds: SequenceBounds, _ seal: SavedLogSeal, _ transaction: any StorageTransaction
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
  /// Whether the columns of a row are not enough to decide.
  fileprivate var needsText: Bool {
    text != nil || drift != nil || source != nil || status == .error
      || [method?.uppercased(), endpoint].contains { $0.map { $0 != $0.column } ?? false }
  }
}

/// How much is kept for each device. The oldest goes first, pinned rows last.
package struct SavedLogLimits: Hashable, Sendable {
  package var rows = 1_000_000
  package var bytes = 256 << 20
  /// How long, in days.
  package var days = 30
  package init() {}
}

/// A device's saved records.
package struct SavedLogContents: Sendable {
  /// The newest attempts and the older pinned ones, oldest first.
  package var attempts: [NetworkRowDetail] = []
  /// How many attempts are saved before these.
  package var older: UInt64 = 0
  /// The `seq` of the next attempt.
  package var next: RowSequence = 1
  package var gaps: [NetworkGap] = []
  package var timeline: [TimelineEntry] = []
  package var faults: [FaultEntry] = []
}
