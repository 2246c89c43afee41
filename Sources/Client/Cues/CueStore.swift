import FoundationEssentials
package import JSON
package import RPC
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
/// The cues are the backend's versions; edits are applied when they are shown. Rows are not encrypted, because cards are not
/// secret. Calls block for one small transaction, which is on disk when they return.
package struct CueStore: Sendable {
  private let storage: any StorageEngine
  private let deviceID: String
  private let backendID: String

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

  /// The script that adds columns for the backend's text of an instant, if its form differs from `Timestamp.text`.
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
  private static func timestamp(_ row: StorageRow, _ column: String) throws(StorageError) -> ReceivedTimestamp {
    ReceivedTimestamp(
      Timestamp(milliseconds: try row.integer(column)), json: try row.optionalText("\(column)_text"))
  }

  /// Parses a stored stage; a stage of a later version counts as `new`.
  private static func stage(_ text: String) -> CueStage { CueStage(rawValue: text) ?? .new }

  // MARK: Transactions

  private func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) throws(CueStoreError) -> Value {
    do { return try storage.readAndWait(body) } catch { throw Self.failure(error) }
  }

  @discardableResult
  private func write<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) throws(CueStoreError) -> Value {
    do { return try storage.writeAndWait(body) } catch { throw Self.failure(error) }
  }

  private static func failure(_ error: any Error) -> CueStoreError {
    if case StorageError.full = error { .storageFull } else { .unavailable }
  }
}

/// The owner of a list of cues: a user's profile.
package struct CueOwner: Hashable, Sendable {
  package let userID: String
  package let profileID: String
}

extension CueStore {
  /// The owner's list as last reconciled, in order; nil if it was never fetched.
  package func list(_ owner: CueOwner) throws(CueStoreError) -> (cues: [CueBody], syncedAt: Timestamp)? {
    try read { transaction in
      let syncedAt = try transaction.number(
        "SELECT synced_at FROM cue_list WHERE device_id = ? AND backend_id = ? AND user_id = ? AND profile_id = ?", deviceID,
        backendID, owner.userID, owner.profileID)
      guard let syncedAt else { return nil }
      return (try cues(owner, transaction), Timestamp(milliseconds: syncedAt))
    }
  }

  /// The backend's version of a user's cue.
  package func cue(id: String, userID: String) throws(CueStoreError) -> CueBody? {
    try read { transaction in
      try transaction.first(
        "SELECT * FROM cue WHERE device_id = ? AND backend_id = ? AND user_id = ? AND cue_id = ?", deviceID, backendID, userID, id
      ).map(Self.body)
    }
  }

  /// Reconciles the stored cues with the profile's complete list, saves the result and returns it.
  @discardableResult
  package func reconcile(
    _ remote: [CueBody], owner: CueOwner, syncedAt: Timestamp
  ) throws(CueStoreError) -> CueReconciliation {
    try write { transaction in
      let edits = try transaction.rows(
        "SELECT cue_id FROM cue_edit WHERE device_id = ? AND backend_id = ? AND user_id = ?", deviceID, backendID, owner.userID)
      let result = CueReconciliation(
        local: try cues(owner, transaction), remote: remote, unsent: Set(try edits.map { try $0.text("cue_id") }))
      for cueID in result.dropped {
        try transaction.execute(
          "DELETE FROM cue WHERE device_id = ? AND backend_id = ? AND user_id = ? AND cue_id = ?", deviceID, backendID,
          owner.userID,
          cueID)
      }
      for cue in result.taken {
        try transaction.execute(
          """
          INSERT INTO cue (device_id, backend_id, user_id, cue_id, profile_id, prompt, answer, stage, position, updated_at,
            updated_at_text)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT (device_id, backend_id, user_id, cue_id) DO UPDATE SET profile_id = excluded.profile_id,
            prompt = excluded.prompt, answer = excluded.answer, stage = excluded.stage, position = excluded.position,
            updated_at = excluded.updated_at, updated_at_text = excluded.updated_at_text
          """, deviceID, backendID, owner.userID, cue.cueID, owner.profileID, Self.storable(cue.prompt),
          Self.storable(cue.answer), cue.stage.rawValue,
          cue.position, cue.updatedAt.instant.milliseconds, cue.updatedAt.differingJSON)
      }
      try transaction.execute(
        """
        INSERT INTO cue_list (device_id, backend_id, user_id, profile_id, synced_at) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (device_id, backend_id, user_id, profile_id) DO UPDATE SET synced_at = excluded.synced_at
        """, deviceID, backendID, owner.userID, owner.profileID, syncedAt.milliseconds)
      return result
    }
  }

  // MARK: Owners

  /// The owner that was last shown in the login's session, so that the list can be shown offline; nil for another login.
  package func owner(loginID: String) throws(CueStoreError) -> CueOwner? {
    try read { transaction in
      try transaction.first(
        "SELECT user_id, profile_id FROM cue_owner WHERE device_id = ? AND backend_id = ? AND login_id = ?", deviceID, backendID,
        loginID
      ).map { CueOwner(userID: try $0.text("user_id"), profileID: try $0.text("profile_id")) }
    }
  }

  /// Saves the owner that is shown in the login's session.
  package func setOwner(_ owner: CueOwner, loginID: String) throws(CueStoreError) {
    try write { transaction in
      try transaction.execute(
        """
        INSERT INTO cue_owner (device_id, backend_id, login_id, user_id, profile_id) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (device_id, backend_id) DO UPDATE SET login_id = excluded.login_id, user_id = excluded.user_id,
          profile_id = excluded.profile_id
        """, deviceID, backendID, loginID, owner.userID, owner.profileID)
    }
  }

  /// Removes all users' cues except those of `userID` (nil: no exception); cues with unsent edits stay for their user.
  package func retain(userID: String?) throws(CueStoreError) {
    let (others, user) = userID.map { (" AND user_id <> ?", [$0.storageValue]) } ?? ("", [])
    let device = [deviceID.storageValue, backendID.storageValue]
    try write { transaction in
      try transaction.execute(
        """
        DELETE FROM cue WHERE device_id = ? AND backend_id = ?\(others) AND (user_id, cue_id) NOT IN
          (SELECT user_id, cue_id FROM cue_edit WHERE device_id = ? AND backend_id = ?)
        """, device + user + device)
      for table in ["cue_list", "cue_owner"] {
        try transaction.execute("DELETE FROM \(table) WHERE device_id = ? AND backend_id = ?\(others)", device + user)
      }
    }
  }

  private func cues(_ owner: CueOwner, _ transaction: any StorageTransaction) throws(StorageError) -> [CueBody] {
    var cues: [CueBody] = []
    let rows = try transaction.rows(
      "SELECT * FROM cue WHERE device_id = ? AND backend_id = ? AND user_id = ? AND profile_id = ? ORDER BY position, cue_id",
      deviceID, backendID, owner.userID, owner.profileID)
    for row in rows { cues.append(try Self.body(row)) }
    return cues
  }

  /// The text with U+FFFD for U+0000, which no database of the port stores.
  private static func storable(_ text: String) -> String {
    guard text.utf8.contains(0) else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 }))
  }

  private static func body(_ row: StorageRow) throws(StorageError) -> CueBody {
    CueBody(
      cueID: try row.text("cue_id"), profileID: try row.text("profile_id"), prompt: try row.text("prompt"),
      answer: try row.text("answer"), stage: stage(try row.text("stage")), position: try row.int("position"),
      updatedAt: try Self.timestamp(row, "updated_at"))
  }
}
