/// Returns the stored cues at once and fetches newer ones in the background (seed-rules L-23 "Local data shows first", L-24 "in
/// the background").
package struct BrowseCues: Sendable {
  private let gateway: CueGateway

  package init(gateway: CueGateway) { self.gateway = gateway }

  /// Returns the stored list, if there is one, and starts a fetch in the background.
  ///
  /// A device without a stored list waits for the backend and throws if it cannot reach it.
  package func callAsFunction() async throws(CueError) -> CueList {
    guard let stored = try await gateway.local() else { return try await gateway.refresh() }
    await gateway.refreshInBackground()
    return stored
  }

  /// Returns the stored list without a fetch, for a caller that was notified of its change; fetches it only if there is none.
  package func stored() async throws(CueError) -> CueList {
    guard let stored = try await gateway.local() else { return try await gateway.refresh() }
    return stored
  }
}

/// Moves a cue to a stage, online or offline (seed-rules L-25 "unsynced edits win").
package struct UpdateCueStage: Sendable {
  private let gateway: CueGateway

  package init(gateway: CueGateway) { self.gateway = gateway }

  /// Moves the cue; if it is in conflict, the stage is the user's choice between the two versions.
  ///
  /// Throws `CueError.unknownStage`, without storing an edit, if the text is not a stage.
  package func callAsFunction(cueID: String, rawStage: String) async throws(CueError) -> CueEditOutcome {
    guard let stage = LearningStage(rawValue: rawStage) else { throw .unknownStage }
    return try await gateway.edit(cueID, stage)
  }
}

/// Shuffles the cues, which only the backend can do; the call is not queued while offline (seed-rules N-5 "shuffling them").
package struct ShuffleCues: Sendable {
  private let gateway: CueGateway

  package init(gateway: CueGateway) { self.gateway = gateway }

  /// Returns the cues in their new order, with unsent edits applied.
  package func callAsFunction() async throws(CueError) -> CueList { try await gateway.shuffle() }
}
