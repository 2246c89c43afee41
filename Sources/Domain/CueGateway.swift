/// What became of an edit by the time its maker is answered.
package enum CueEditOutcome: Hashable, Sendable {
  /// The backend has it, or it changed nothing.
  case reached(Cue)
  /// It is kept on this device and goes out by itself.
  case kept(Cue)
}

/// The device's cues: its own store in front of the backend, and the outbox of its edits.
package struct CueGateway: Sendable {
  /// The kept list of the user's active profile; nil where the backend was never heard.
  package var local: @Sendable () async throws(CueError) -> CueList?
  /// Fetches from the backend, reconciles, keeps and returns the list.
  package var refresh: @Sendable () async throws(CueError) -> CueList
  /// Does the same behind the caller's back; whoever watches the device hears how it ended.
  package var refreshInBackground: @Sendable () async -> Void
  /// Has the backend put the cues into another order.
  package var shuffle: @Sendable () async throws(CueError) -> CueList
  /// Keeps an edit so that it survives the process, then tells whether it reached the backend soon enough to say so.
  package var edit: @Sendable (_ cueID: String, _ stage: CueStage) async throws(CueError) -> CueEditOutcome
  /// Closes the outbox around the end of a session; throws `unsyncedEdits` and ends nothing where edits would be lost unasked.
  package var endSession:
    @Sendable (_ discardsEdits: Bool, _ end: @escaping @Sendable () async -> Void) async throws(CueError) -> Void

  /// Makes a gateway of its calls.
  package init(
    local: @escaping @Sendable () async throws(CueError) -> CueList?,
    refresh: @escaping @Sendable () async throws(CueError) -> CueList,
    refreshInBackground: @escaping @Sendable () async -> Void,
    shuffle: @escaping @Sendable () async throws(CueError) -> CueList,
    edit: @escaping @Sendable (String, CueStage) async throws(CueError) -> CueEditOutcome,
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
