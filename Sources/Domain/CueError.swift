/// Why something about cues failed, in the terms of the feature (seed 000 §2.3).
package enum CueError: Error, Hashable, Sendable {
  /// Nobody is signed in.
  case signedOut
  /// The session ended while the call was under way.
  case sessionEnded
  /// There is no such cue, here or on the backend.
  case cueNotFound
  /// The account has no profile whose cues could be shown.
  case profileNotFound
  /// The word is no stage.
  case unknownStage
  /// The backend holds something newer, and the edit waits for the user to pick.
  case conflict
  /// Edits have not reached the backend and would be lost; how many.
  case unsyncedEdits(count: Int)
  /// The edit could not be written, so it was not taken.
  case storageFull
  /// Anything of the network or the backend that is not of this feature.
  case failed(CallFailure)
}
