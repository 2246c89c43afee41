import GRDB
package import JSON
package import RPC

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
    try read { db in
      let syncedAt = try Int64.fetchOne(
        db.cachedStatement(
          sql: "SELECT synced_at FROM cue_list WHERE device_id = ? AND backend_id = ? AND user_id = ? AND profile_id = ?"),
        arguments: [deviceID, backendID, owner.userID, owner.profileID])
      guard let syncedAt else { return nil }
      return (try cues(owner, db), Timestamp(milliseconds: syncedAt))
    }
  }

  /// The backend's version of a user's cue.
  package func cue(id: String, userID: String) throws(CueStoreError) -> CueBody? {
    try read { db in
      try Row.fetchOne(
        db.cachedStatement(sql: "SELECT * FROM cue WHERE device_id = ? AND backend_id = ? AND user_id = ? AND cue_id = ?"),
        arguments: [deviceID, backendID, userID, id]
      ).map(Self.body)
    }
  }

  /// Reconciles the stored cues with the profile's complete list, saves the result and returns it.
  @discardableResult
  package func reconcile(
    _ remote: [CueBody], owner: CueOwner, syncedAt: Timestamp
  ) throws(CueStoreError) -> CueReconciliation {
    try write { db in
      let edited = try String.fetchSet(
        db, sql: "SELECT cue_id FROM cue_edit WHERE device_id = ? AND backend_id = ? AND user_id = ?",
        arguments: [deviceID, backendID, owner.userID])
      let result = CueReconciliation(local: try cues(owner, db), remote: remote, unsent: edited)
      for cueID in result.dropped {
        try db.cachedStatement(
          sql: "DELETE FROM cue WHERE device_id = ? AND backend_id = ? AND user_id = ? AND cue_id = ?"
        ).execute(arguments: [deviceID, backendID, owner.userID, cueID])
      }
      let statement = try db.cachedStatement(
        sql: """
          INSERT OR REPLACE INTO cue
            (device_id, backend_id, user_id, cue_id, profile_id, prompt, answer, stage, position, updated_at)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          """)
      for cue in result.taken {
        try statement.execute(arguments: [
          deviceID, backendID, owner.userID, cue.cueID, owner.profileID, cue.prompt, cue.answer, cue.stage.rawValue, cue.position,
          cue.updatedAt.milliseconds,
        ])
      }
      try db.cachedStatement(
        sql: "INSERT OR REPLACE INTO cue_list (device_id, backend_id, user_id, profile_id, synced_at) VALUES (?, ?, ?, ?, ?)"
      ).execute(arguments: [deviceID, backendID, owner.userID, owner.profileID, syncedAt.milliseconds])
      return result
    }
  }

  // MARK: Owners

  /// The owner that was last shown in the login's session, so that the list can be shown offline; nil for another login.
  package func owner(loginID: String) throws(CueStoreError) -> CueOwner? {
    try read { db in
      try Row.fetchOne(
        db.cachedStatement(
          sql: "SELECT user_id, profile_id FROM cue_owner WHERE device_id = ? AND backend_id = ? AND login_id = ?"),
        arguments: [deviceID, backendID, loginID]
      ).map { CueOwner(userID: $0["user_id"], profileID: $0["profile_id"]) }
    }
  }

  /// Saves the owner that is shown in the login's session.
  package func setOwner(_ owner: CueOwner, loginID: String) throws(CueStoreError) {
    try write { db in
      try db.cachedStatement(
        sql: """
          INSERT OR REPLACE INTO cue_owner (device_id, backend_id, login_id, user_id, profile_id) VALUES (?, ?, ?, ?, ?)
          """
      ).execute(arguments: [deviceID, backendID, loginID, owner.userID, owner.profileID])
    }
  }

  /// Removes the cues of everybody except `userID` (nil: of everybody); cues with unsent edits stay for their user.
  package func retain(userID: String?) throws(CueStoreError) {
    try write { db in
      try db.cachedStatement(
        sql: """
          DELETE FROM cue WHERE device_id = ?1 AND backend_id = ?2 AND user_id IS NOT ?3 AND (user_id, cue_id) NOT IN
          (SELECT user_id, cue_id FROM cue_edit WHERE device_id = ?1 AND backend_id = ?2)
          """
      ).execute(arguments: [deviceID, backendID, userID])
      for table in ["cue_list", "cue_owner"] {
        try db.cachedStatement(
          sql: "DELETE FROM \(table) WHERE device_id = ? AND backend_id = ? AND user_id IS NOT ?"
        ).execute(arguments: [deviceID, backendID, userID])
      }
    }
  }

  private func cues(_ owner: CueOwner, _ db: Database) throws -> [CueBody] {
    try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT * FROM cue WHERE device_id = ? AND backend_id = ? AND user_id = ? AND profile_id = ? ORDER BY position, cue_id
          """), arguments: [deviceID, backendID, owner.userID, owner.profileID]
    ).map(Self.body)
  }

  private static func body(_ row: Row) -> CueBody {
    CueBody(
      cueID: row["cue_id"], profileID: row["profile_id"], prompt: row["prompt"], answer: row["answer"],
      stage: stage(row["stage"]), position: row["position"], updatedAt: Timestamp(milliseconds: row["updated_at"]))
  }
}
