import FoundationEssentials
package import GRDB
import JSON
import RPC

/// Why cues or edits could not be read or written.
package enum CueStoreError: Error, Hashable, Sendable {
  /// The disk is full.
  case storageFull
  /// The database failed for another reason.
  case unavailable
}

/// One device's cues and unsent edits for one backend, stored by user.
///
/// The cues are the backend's versions; edits are applied when they are shown. Rows are not encrypted, since cards are no
/// secret. Calls block for one small transaction, which is on disk when they return.
package struct CueStore: Sendable {
  let database: any DatabaseWriter
  let deviceID: String
  let backendID: String

  /// Creates the store of one device and backend; the tables must exist (`migrate`).
  package init(database: any DatabaseWriter, deviceID: String, backendID: String) {
    self.database = database
    self.deviceID = deviceID
    self.backendID = backendID
  }

  /// Creates missing tables; instants are milliseconds since 1970.
  package static func migrate(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE IF NOT EXISTS cue_owner (
          device_id TEXT NOT NULL, backend_id TEXT NOT NULL, login_id TEXT NOT NULL,
          user_id TEXT NOT NULL, profile_id TEXT NOT NULL,
          PRIMARY KEY (device_id, backend_id)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS cue_list (
          device_id TEXT NOT NULL, backend_id TEXT NOT NULL, user_id TEXT NOT NULL, profile_id TEXT NOT NULL,
          synced_at INTEGER NOT NULL,
          PRIMARY KEY (device_id, backend_id, user_id, profile_id)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS cue (
          device_id TEXT NOT NULL, backend_id TEXT NOT NULL, user_id TEXT NOT NULL, cue_id TEXT NOT NULL,
          profile_id TEXT NOT NULL, prompt TEXT NOT NULL, answer TEXT NOT NULL, stage TEXT NOT NULL,
          position INTEGER NOT NULL, updated_at INTEGER NOT NULL,
          PRIMARY KEY (device_id, backend_id, user_id, cue_id)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS cue_edit (
          number INTEGER PRIMARY KEY AUTOINCREMENT,
          edit_id TEXT NOT NULL UNIQUE,
          device_id TEXT NOT NULL, backend_id TEXT NOT NULL, user_id TEXT NOT NULL, profile_id TEXT NOT NULL,
          cue_id TEXT NOT NULL, stage TEXT NOT NULL, base INTEGER NOT NULL, base_stage TEXT NOT NULL,
          idempotency_key TEXT NOT NULL, is_rebased INTEGER NOT NULL, is_conflict INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX IF NOT EXISTS cue_edit_by_user ON cue_edit (device_id, backend_id, user_id, number);
        """)
  }

  /// Removes every cue and edit of a device, for every backend and user.
  package static func removeAll(deviceID: String, in db: Database) throws {
    for table in ["cue_owner", "cue_list", "cue", "cue_edit"] {
      try db.execute(sql: "DELETE FROM \(table) WHERE device_id = ?", arguments: [deviceID])
    }
  }

  // MARK: Edits

  /// The user's unsent edits in the order in which they were made.
  package func edits(userID: String) throws(CueStoreError) -> [CueEdit] {
    try read { db in
      try Row.fetchAll(
        db.cachedStatement(sql: "SELECT * FROM cue_edit WHERE device_id = ? AND backend_id = ? AND user_id = ? ORDER BY number"),
        arguments: [deviceID, backendID, userID]
      ).map { row in
        CueEdit(
          id: row["edit_id"], profileID: row["profile_id"], cueID: row["cue_id"], stage: Self.stage(row["stage"]),
          base: Timestamp(milliseconds: row["base"]), baseStage: Self.stage(row["base_stage"]), key: row["idempotency_key"],
          isRebased: row["is_rebased"], isConflict: row["is_conflict"])
      }
    }
  }

  /// Saves the changes of one event, all or none.
  package func apply(_ changes: [CueChange], userID: String) throws(CueStoreError) {
    guard !changes.isEmpty else { return }
    try write { db in
      for change in changes { try apply(change, userID: userID, db) }
    }
  }

  private func apply(_ change: CueChange, userID: String, _ db: Database) throws {
    switch change {
    case .insert(let edit):
      try db.cachedStatement(
        sql: """
          INSERT INTO cue_edit (edit_id, device_id, backend_id, user_id, profile_id, cue_id, stage, base, base_stage,
            idempotency_key, is_rebased, is_conflict) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          """
      ).execute(arguments: [
        edit.id, deviceID, backendID, userID, edit.profileID, edit.cueID, edit.stage.rawValue, edit.base.milliseconds,
        edit.baseStage.rawValue, edit.key, edit.isRebased, edit.isConflict,
      ])
    case .update(let edit):
      try db.cachedStatement(
        sql: """
          UPDATE cue_edit SET base = ?, base_stage = ?, idempotency_key = ?, is_rebased = ?, is_conflict = ?
          WHERE edit_id = ? AND user_id = ?
          """
      ).execute(arguments: [
        edit.base.milliseconds, edit.baseStage.rawValue, edit.key, edit.isRebased, edit.isConflict, edit.id, userID,
      ])
    case .remove(let edit):
      try db.cachedStatement(
        sql: "DELETE FROM cue_edit WHERE edit_id = ? AND user_id = ?"
      ).execute(arguments: [edit.id, userID])
    case .store(let cue):
      try db.cachedStatement(
        sql: """
          UPDATE cue SET prompt = ?, answer = ?, stage = ?, position = ?, updated_at = ?
          WHERE device_id = ? AND backend_id = ? AND user_id = ? AND cue_id = ? AND updated_at <= ?
          """
      ).execute(arguments: [
        cue.prompt, cue.answer, cue.stage.rawValue, cue.position, cue.updatedAt.milliseconds, deviceID, backendID, userID,
        cue.cueID, cue.updatedAt.milliseconds,
      ])
    case .forget(let cueID):
      try db.cachedStatement(
        sql: "DELETE FROM cue WHERE device_id = ? AND backend_id = ? AND user_id = ? AND cue_id = ?"
      ).execute(arguments: [deviceID, backendID, userID, cueID])
    }
  }

  /// Parses a stored stage; a stage of a later version counts as `new`.
  static func stage(_ text: String) -> RPC.CueStage { RPC.CueStage(rawValue: text) ?? .new }

  // MARK: Transactions

  func read<Value>(_ body: (Database) throws -> Value) throws(CueStoreError) -> Value {
    do { return try database.read(body) } catch { throw Self.failure(error) }
  }

  func write<Value>(_ body: (Database) throws -> Value) throws(CueStoreError) -> Value {
    do { return try database.write(body) } catch { throw Self.failure(error) }
  }

  private static func failure(_ error: any Error) -> CueStoreError {
    (error as? DatabaseError)?.resultCode == .SQLITE_FULL ? .storageFull : .unavailable
  }
}
