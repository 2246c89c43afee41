import Foundation
import GRDB
import JSON
import Observability
import Vault

@testable import Console

/// A file as the version before the storage port made and filled it, by its own statements.
struct EarlierSavedLogFile {
  private let database: DatabasePool
  private let key: SealingKey

  /// Creates the file with its tables and GRDB's table of steps.
  init(path: String, key: SealingKey) throws {
    database = try DatabasePool(path: path)
    self.key = key
    try Self.migrator.migrate(database)
  }

  /// Closes it.
  func close() throws { try database.close() }

  /// Whether that version refuses the file at a path.
  static func isRefused(_ path: String) throws -> Bool {
    let database = try DatabasePool(path: path)
    defer { try? database.close() }
    return try database.read { try migrator.hasBeenSuperseded($0) || !migrator.hasCompletedMigrations($0) }
  }

  /// Saves a batch for the owner's device, which is awake, with a gap after the row 1.
  func save(_ batch: SavedLogBatch) throws {
    let sealed = SealedBatch(batch, SavedLogSeal(key: key, device: batch.owner))
    try database.write { db in
      try db.execute(
        sql: """
          INSERT INTO evidence_device (device_id, backend_id, next_seq, is_awake, rows, bytes, faults)
          VALUES (?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          batch.owner.deviceID, batch.owner.backendID, Int64(sealed.next.number), batch.isAwake, sealed.attempts.count,
          sealed.attempts.reduce(sealed.text?.sealed.count ?? 0) { $0 + $1.row.count + ($1.rest?.count ?? 0) },
          sealed.faults.map { Data($0) },
        ])
      let device = db.lastInsertedRowID
      for row in sealed.attempts {
        try db.execute(
          sql: """
            INSERT INTO log_row (device, seq, id, started_at, method, endpoint, flow, status, is_pinned, row, rest)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
          arguments: [
            device, Int64(row.seq.number), row.id, row.startedAt, row.method, row.endpoint, row.flow, row.status, row.isPinned,
            Data(row.row),
            Data(row.rest ?? []),
          ])
      }
      if let text = sealed.text {
        try db.execute(
          sql: "INSERT INTO log_text (device, first_seq, last_seq, sealed) VALUES (?, ?, ?, ?)",
          arguments: [device, Int64(text.first.number), Int64(text.last.number), Data(text.sealed)])
      }
      for entry in sealed.timeline {
        try db.execute(
          sql: "INSERT OR REPLACE INTO timeline_entry (device, seq, sealed) VALUES (?, ?, ?)",
          arguments: [device, Int64(entry.seq.number), Data(entry.sealed)])
      }
      try db.execute(
        sql: "INSERT OR REPLACE INTO log_gap (device, after_seq, found_at) VALUES (?, 1, 1760000000000)", arguments: [device])
    }
  }

  /// Saves a complete recording of some attempts.
  func save(_ attempts: [NetworkRowDetail], id: String, _ surroundings: RecordingStore.Surroundings) throws {
    let seal = SavedLogSeal(key: key, device: SavedLogOwner(deviceID: id, backendID: "recording"))
    let sealed = attempts.map { SealedAttempt($0, seal) }
    let about = Data(seal.seal(try JSONCoding.encode(surroundings.about), .about))
    let timeline = Data(seal.seal(try JSONCoding.encode(surroundings.timeline), .timeline))
    let faults = Data(seal.seal(surroundings.faults, .faults))
    try database.write { db in
      try db.execute(
        sql: """
          INSERT INTO recording (id, created_at, rows, bytes, is_complete, about, timeline, faults)
          VALUES (?, 1, ?, 0, 1, ?, ?, ?)
          """, arguments: [id, sealed.count, about, timeline, faults])
      let number = db.lastInsertedRowID
      for row in sealed {
        try db.execute(
          sql:
            "INSERT INTO recording_row (recording, seq, id, method, endpoint, status, row, rest) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
          arguments: [
            number, Int64(row.seq.number), row.id, row.method, row.endpoint, row.status, Data(row.row), Data(row.rest ?? []),
          ])
      }
    }
  }

  private static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 log, timeline and faults") { try $0.execute(sql: first) }
    migrator.registerMigration("2 recordings") { try $0.execute(sql: second) }
    return migrator
  }

  private static let first = """
    CREATE TABLE evidence_device (
      device INTEGER PRIMARY KEY,
      device_id TEXT NOT NULL,
      backend_id TEXT NOT NULL,
      next_seq INTEGER NOT NULL DEFAULT 1,
      is_awake INTEGER NOT NULL DEFAULT 0,
      cleared_through INTEGER NOT NULL DEFAULT 0,
      rows INTEGER NOT NULL DEFAULT 0,
      bytes INTEGER NOT NULL DEFAULT 0,
      evicted INTEGER NOT NULL DEFAULT 0,
      faults BLOB,
      UNIQUE (device_id, backend_id)
    ) STRICT;
    CREATE TABLE log_row (
      device INTEGER NOT NULL REFERENCES evidence_device ON DELETE CASCADE,
      seq INTEGER NOT NULL,
      id TEXT NOT NULL,
      started_at INTEGER NOT NULL,
      method TEXT NOT NULL,
      endpoint TEXT NOT NULL,
      flow TEXT NOT NULL,
      status INTEGER,
      is_pinned INTEGER NOT NULL,
      row BLOB NOT NULL,
      rest BLOB NOT NULL,
      PRIMARY KEY (device, seq)
    ) STRICT;
    CREATE INDEX log_row_id ON log_row (device, id);
    CREATE INDEX log_row_filter ON log_row (device, seq, started_at, method, endpoint, status);
    CREATE TABLE log_text (
      number INTEGER PRIMARY KEY,
      device INTEGER NOT NULL REFERENCES evidence_device ON DELETE CASCADE,
      first_seq INTEGER NOT NULL,
      last_seq INTEGER NOT NULL,
      sealed BLOB NOT NULL
    ) STRICT;
    CREATE INDEX log_text_device ON log_text (device, last_seq);
    CREATE INDEX log_row_pinned ON log_row (device, seq) WHERE is_pinned;
    CREATE TABLE log_gap (
      device INTEGER NOT NULL REFERENCES evidence_device ON DELETE CASCADE,
      after_seq INTEGER NOT NULL,
      found_at INTEGER NOT NULL,
      PRIMARY KEY (device, after_seq)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE timeline_entry (
      device INTEGER NOT NULL REFERENCES evidence_device ON DELETE CASCADE,
      seq INTEGER NOT NULL,
      sealed BLOB NOT NULL,
      PRIMARY KEY (device, seq)
    ) STRICT, WITHOUT ROWID;
    """

  private static let second = """
    CREATE TABLE recording (
      recording INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      created_at INTEGER NOT NULL,
      rows INTEGER NOT NULL DEFAULT 0,
      bytes INTEGER NOT NULL DEFAULT 0,
      is_complete INTEGER NOT NULL DEFAULT 0,
      about BLOB NOT NULL,
      timeline BLOB NOT NULL,
      faults BLOB NOT NULL
    ) STRICT;
    CREATE TABLE recording_row (
      recording INTEGER NOT NULL REFERENCES recording ON DELETE CASCADE,
      seq INTEGER NOT NULL,
      id TEXT NOT NULL,
      method TEXT NOT NULL,
      endpoint TEXT NOT NULL,
      status INTEGER,
      row BLOB NOT NULL,
      rest BLOB NOT NULL,
      PRIMARY KEY (recording, seq)
    ) STRICT;
    CREATE INDEX recording_row_id ON recording_row (recording, id);
    """
}
