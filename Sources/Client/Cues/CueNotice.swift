package import Domain

/// What whoever watches a device's cues is told.
package struct CueNotice: Sendable {
  /// What happened.
  package enum Kind: String, Sendable {
    /// A cue shows something else: it was edited, or an edit reached the backend.
    case updated
    /// The backend was heard, and the list is what it holds.
    case synced
    /// The backend could not be heard; `reason` says why.
    case syncFailed = "sync_failed"
    /// The backend holds another version of a cue, and the user has to pick.
    case conflict
    /// An edit was given up, as the backend will not take it; `reason` says why.
    case dropped
  }

  package let kind: Kind
  /// The cue as it shows now; nil where it is gone, or where the notice is about the list.
  package var cue: Cue?
  package var cueID: String?
  /// A stable word: `cue_not_found`, `refused`, or what kept the backend from being heard.
  package var reason: String?
  /// How many edits have not reached the backend.
  package var unsent: Int
}
