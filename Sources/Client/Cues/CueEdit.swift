package import JSON
package import RPC

/// A user's change of a cue's stage that the outbox keeps until the backend has it.
package struct CueEdit: Hashable, Sendable {
  /// A UUID that never changes.
  package let id: String
  package let profileID: String
  package let cueID: String
  package let stage: RPC.CueStage
  /// The backend's timestamp of the version that the edit changes.
  package var base: ReceivedTimestamp
  /// The stage of that version, which distinguishes a change of the cue's text from one of its stage.
  package var baseStage: RPC.CueStage
  /// Sent as `Idempotency-Key`. A key belongs to one body, so once the edit may have been sent it changes only together with
  /// `base`.
  package var key: String
  /// Whether it was rebased on a newer version already.
  package var isRebased = false
  /// Whether it conflicts with the backend's version, until the user picks one.
  package var isConflict = false
}

/// A change to the store; the changes of one event are saved together or not at all.
package enum CueChange: Hashable, Sendable {
  /// Appends an edit.
  case insert(CueEdit)
  case update(CueEdit)
  case remove(CueEdit)
  /// Stores the backend's version of a cue unless a newer one is stored.
  case store(CueBody)
  /// Removes a cue that the backend no longer has.
  case forget(cueID: String)

  /// The id of the cue that the change affects.
  package var cueID: String {
    switch self {
    case .insert(let edit), .update(let edit), .remove(let edit): edit.cueID
    case .store(let cue): cue.cueID
    case .forget(let cueID): cueID
    }
  }
}
