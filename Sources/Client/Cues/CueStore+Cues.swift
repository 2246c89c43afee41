package import JSON
package import RPC
import Storage

/// The owner of a list of cues: a user's profile.
package struct CueOwner: Hashable, Sendable {
  package let userID: String
  package let profileID: String
  package init(userID: String, profileID: String) {
    self.userID = userID
    self.profileID = profileID
  }
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

  /// Removes the cues of everybody except `userID` (nil: of everybody); cues with unsent edits stay for their user.
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
  static func storable(_ text: String) -> String {
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
