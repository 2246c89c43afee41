import FoundationEssentials
import JSON
import RPC
package import Storage

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
  let storage: any StorageEngine
  let deviceID: String
  let backendID: String

  /// Creates the store of one device and backend; the tables must exist (``schema``).
  package init(storage: any StorageEngine, deviceID: String, backendID: String) {
    self.storage = storage
    self.deviceID = deviceID
    self.backendID = backendID
  }

  /// The script that creates the tables; instants are milliseconds since 1970.
  package static let schema = """
    CREATE TABLE cue_owner (
      device_id TEXT NOT NULL, backend_id TEXT NOT NULL, login_id TEXT NOT NULL,
      user_id TEXT NOT NULL, profile_id TEXT NOT NULL,
      PRIMARY KEY (device_id, backend_id)
    ) {strict by key};
    CREATE TABLE cue_list (
      device_id TEXT NOT NULL, backend_id TEXT NOT NULL, user_id TEXT NOT NULL, profile_id TEXT NOT NULL,
      synced_at {integer} NOT NULL,
      PRIMARY KEY (device_id, backend_id, user_id, profile_id)
    ) {strict by key};
    CREATE TABLE cue (
      device_id TEXT NOT NULL, backend_id TEXT NOT NULL, user_id TEXT NOT NULL, cue_id TEXT NOT NULL,
      profile_id TEXT NOT NULL, prompt TEXT NOT NULL, answer TEXT NOT NULL, stage TEXT NOT NULL,
      position {integer} NOT NULL, updated_at {integer} NOT NULL,
      PRIMARY KEY (device_id, backend_id, user_id, cue_id)
    ) {strict by key};
    CREATE TABLE cue_edit (
      number {identity},
      edit_id TEXT NOT NULL UNIQUE,
      device_id TEXT NOT NULL, backend_id TEXT NOT NULL, user_id TEXT NOT NULL, profile_id TEXT NOT NULL,
      cue_id TEXT NOT NULL, stage TEXT NOT NULL, base {integer} NOT NULL, base_stage TEXT NOT NULL,
      idempotency_key TEXT NOT NULL, is_rebased {integer} NOT NULL, is_conflict {integer} NOT NULL
    ) {strict};
    CREATE INDEX cue_edit_by_user ON cue_edit (device_id, backend_id, user_id, number);
    """

  /// The script that adds how the backend wrote an instant, if it is not in the form of `Timestamp.text`.
  package static let texts = """
    ALTER TABLE cue ADD COLUMN updated_at_text TEXT;
    ALTER TABLE cue_edit ADD COLUMN base_text TEXT;
    """

  /// Removes every cue and edit of a device, for every backend and user.
  package static func removeAll(deviceID: String, in transaction: any StorageTransaction) throws(StorageError) {
    for table in ["cue_owner", "cue_list", "cue", "cue_edit"] {
      try transaction.execute("DELETE FROM \(table) WHERE device_id = ?", deviceID)
    }
  }

  // MARK: Edits

  /// The user's unsent edits in the order in which they were made.
  package func edits(userID: String) throws(CueStoreError) -> [CueEdit] {
    try read { transaction in
      try transaction.rows(
        "SELECT * FROM cue_edit WHERE device_id = ? AND backend_id = ? AND user_id = ? ORDER BY number", deviceID, backendID,
        userID
      ).map { row in
        CueEdit(
          id: try row.text("edit_id"), profileID: try row.text("profile_id"), cueID: try row.text("cue_id"),
          stage: Self.stage(try row.text("stage")), base: try Self.timestamp(row, "base"),
          baseStage: Self.stage(try row.text("base_stage")), key: try row.text("idempotency_key"),
          isRebased: try row.flag("is_rebased"), isConflict: try row.flag("is_conflict"))
      }
    }
  }

  /// Saves the changes of one event, all or none.
  package func apply(_ changes: [CueChange], userID: String) throws(CueStoreError) {
    guard !changes.isEmpty else { return }
    try write { transaction in
      for change in changes { try apply(change, userID: userID, transaction) }
    }
  }

  private func apply(_ change: CueChange, userID: String, _ transaction: any StorageTransaction) throws(StorageError) {
    switch change {
    case .insert(let edit):
      try transaction.execute(
        """
        INSERT INTO cue_edit (edit_id, device_id, backend_id, user_id, profile_id, cue_id, stage, base, base_text, base_stage,
          idempotency_key, is_rebased, is_conflict) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """, edit.id, deviceID, backendID, userID, edit.profileID, edit.cueID, edit.stage.rawValue,
        edit.base.instant.milliseconds,
        edit.base.differingJSON, edit.baseStage.rawValue, edit.key, edit.isRebased, edit.isConflict)
    case .update(let edit):
      try transaction.execute(
        """
        UPDATE cue_edit SET base = ?, base_text = ?, base_stage = ?, idempotency_key = ?, is_rebased = ?, is_conflict = ?
        WHERE edit_id = ? AND user_id = ?
        """, edit.base.instant.milliseconds, edit.base.differingJSON, edit.baseStage.rawValue, edit.key, edit.isRebased,
        edit.isConflict, edit.id, userID)
    case .remove(let edit):
      try transaction.execute("DELETE FROM cue_edit WHERE edit_id = ? AND user_id = ?", edit.id, userID)
    case .store(let cue):
      try transaction.execute(
        """
        UPDATE cue SET prompt = ?, answer = ?, stage = ?, position = ?, updated_at = ?, updated_at_text = ?
        WHERE device_id = ? AND backend_id = ? AND user_id = ? AND cue_id = ? AND updated_at <= ?
        """, Self.storable(cue.prompt), Self.storable(cue.answer), cue.stage.rawValue, cue.position,
        cue.updatedAt.instant.milliseconds, cue.updatedAt.differingJSON, deviceID, backendID, userID,
        cue.cueID, cue.updatedAt.instant.milliseconds)
    case .forget(let cueID):
      try transaction.execute(
        "DELETE FROM cue WHERE device_id = ? AND backend_id = ? AND user_id = ? AND cue_id = ?", deviceID, backendID, userID,
        cueID)
    }
  }

  /// The instant in a column, with the JSON text in the column of the same name that ends with `_text`.
  static func timestamp(_ row: StorageRow, _ column: String) throws(StorageError) -> ReceivedTimestamp {
    ReceivedTimestamp(
      Timestamp(milliseconds: try row.integer(column)), json: try row.optionalText("\(column)_text"))
  }

  /// Parses a stored stage; a stage of a later version counts as `new`.
  static func stage(_ text: String) -> RPC.CueStage { RPC.CueStage(rawValue: text) ?? .new }

  // MARK: Transactions

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) throws(CueStoreError) -> Value {
    do { return try storage.readAndWait(body) } catch { throw Self.failure(error) }
  }

  @discardableResult
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) throws(CueStoreError) -> Value {
    do { return try storage.writeAndWait(body) } catch { throw Self.failure(error) }
  }

  private static func failure(_ error: any Error) -> CueStoreError {
    if case StorageError.full = error { .storageFull } else { .unavailable }
  }
}
