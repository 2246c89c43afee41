package import Domain

/// A notification about a device's cues, coded as the `cue` event has it.
package struct CueNotice: Encodable, Sendable {
  /// The kind of event.
  package enum Kind: String, Encodable, Sendable {
    /// A cue changed on screen: it was edited, or an edit reached the backend.
    case updated
    /// The list was fetched from the backend.
    case synced
    /// The list could not be fetched, for the `reason`.
    case syncFailed = "sync_failed"
    /// The backend has another version of a cue, and the user has to pick one.
    case conflict
    /// An edit was dropped because the backend does not accept it, for the `reason`.
    case dropped
  }

  package let kind: Kind
  /// The cue as it is shown now; nil if it was deleted, or if the notice is about the list.
  package var cue: Cue?
  package var cueID: String?
  /// A stable identifier: `cue_not_found`, `refused`, or the reason why the list could not be fetched.
  package var reason: String?
  /// The number of edits that have not reached the backend.
  package var unsent: Int
}
