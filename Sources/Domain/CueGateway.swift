/// The state of an edit when the call returns.
package enum CueEditOutcome: Hashable, Sendable {
  /// The backend has it, or there was nothing to change.
  case reached(Cue)
  /// It is stored on this device and will be sent in the background.
  case kept(Cue)
}

/// Access to the device's cues: the local store, the backend behind it, and the outbox for edits.
package struct CueGateway: Sendable {
  /// The stored list of the active profile; nil if the backend has never responded.
  package var local: @Sendable () async throws(CueError) -> CueList?
  /// Fetches the list from the backend, reconciles, stores and returns it.
  package var refresh: @Sendable () async throws(CueError) -> CueList
  /// Does the same in the background; observers of the device are notified of the result.
  package var refreshInBackground: @Sendable () async -> Void
  /// Has the backend shuffle the cues.
  package var shuffle: @Sendable () async throws(CueError) -> CueList
  /// Stores an edit durably, then returns whether it has reached the backend within a short wait.
  package var edit: @Sendable (_ cueID: String, _ stage: LearningStage) async throws(CueError) -> CueEditOutcome
  /// Ends a session with the outbox closed; throws `unsyncedEdits` and keeps the session if ending it would discard edits without
  /// consent.
  package var endSession:
    @Sendable (_ discardsEdits: Bool, _ end: @escaping @Sendable () async -> Void) async throws(CueError) -> Void

  package init(
    local: @escaping @Sendable () async throws(CueError) -> CueList?,
    refresh: @escaping @Sendable () async throws(CueError) -> CueList,
    refreshInBackground: @escaping @Sendable () async -> Void,
    shuffle: @escaping @Sendable () async throws(CueError) -> CueList,
    edit: @escaping @Sendable (String, LearningStage) async throws(CueError) -> CueEditOutcome,
    endSession: @escaping @Sendable (Bool, @escaping @Sendable () async -> Void) async throws(CueError) -> Void
  ) {
    self.local = local
    self.refresh = refresh
    self.refreshInBackground = refreshInBackground
    self.shuffle = shuffle
    self.edit = edit
    self.endSession = endSession
  }
}

/// Why an operation on cues failed (seed-rules N-36 "not `NetworkError`").
package enum CueError: Error, Hashable, Sendable {
  /// No user is signed in.
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
  /// Edits that have not reached the backend would be discarded; their number.
  case unsyncedEdits(count: Int)
  /// The edit could not be stored, so it was not accepted.
  case storageFull
  /// Another failure of the network or the backend.
  case failed(CallFailure)
}
