package import JSON
package import RPC

/// A user's wish to move a cue, as the outbox keeps it until the backend has it.
package struct CueEdit: Hashable, Sendable {
  /// A UUID that stays the same, whatever happens to the edit.
  package let id: String
  package let profileID: String
  package let cueID: String
  package let stage: RPC.CueStage
  /// The backend's stamp of the version that the edit changes.
  package var base: Timestamp
  /// The stage of that version, which tells a change of the cue's content from one of its place.
  package var baseStage: RPC.CueStage
  /// Goes out as `Idempotency-Key`; one key stands for one body, so it changes only with `base` once the edit may have gone out.
  package var key: String
  /// Whether it was put onto a newer version once already.
  package var isRebased: Bool
  /// Whether the backend refused it for good, until the user picks.
  package var isConflict: Bool

  /// Makes an edit of its parts.
  package init(
    id: String, profileID: String, cueID: String, stage: RPC.CueStage, base: Timestamp, baseStage: RPC.CueStage, key: String,
    isRebased: Bool = false, isConflict: Bool = false
  ) {
    self.id = id
    self.profileID = profileID
    self.cueID = cueID
    self.stage = stage
    self.base = base
    self.baseStage = baseStage
    self.key = key
    self.isRebased = isRebased
    self.isConflict = isConflict
  }
}

/// A change of what is kept; those of one event are kept together or not at all.
package enum CueChange: Hashable, Sendable {
  /// Takes an edit, after all others.
  case insert(CueEdit)
  /// Keeps what became of an edit.
  case update(CueEdit)
  /// Forgets an edit.
  case remove(CueEdit)
  /// Takes the backend's version of a cue, unless a newer one is kept.
  case store(CueBody)
  /// Forgets a cue that the backend no longer knows.
  case forget(cueID: String)

  /// The cue that the change touches.
  package var cueID: String {
    switch self {
    case .insert(let edit), .update(let edit), .remove(let edit): edit.cueID
    case .store(let cue): cue.cueID
    case .forget(let cueID): cueID
    }
  }
}
