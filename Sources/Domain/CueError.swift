/// Why an operation on cues failed (seed-rules N-36 "not `NetworkError`").
package enum CueError: Error, Hashable, Sendable {
  /// Nobody is signed in.
  case signedOut
  /// The session ended during the call.
  case sessionEnded
  /// Neither this device nor the backend has the cue.
  case cueNotFound
  /// The account has no profile.
  case profileNotFound
  /// The text is not the name of a stage.
  case unknownStage
  /// The backend has a newer version, and the edit waits for the user to choose.
  case conflict
  /// Edits that have not reached the backend would be lost; their number.
  case unsyncedEdits(count: Int)
  /// The edit could not be stored, so it was not accepted.
  case storageFull
  /// Another failure of the network or the backend.
  case failed(CallFailure)
}
