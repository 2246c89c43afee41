/// Moves a cue to a stage, online or offline (seed-rules L-25 "unsynced edits win").
package struct UpdateCueStage: Sendable {
  private let gateway: CueGateway

  package init(gateway: CueGateway) { self.gateway = gateway }

  /// Moves the cue; if it is in conflict, the stage is the user's choice between the two versions.
  ///
  /// Throws `CueError.unknownStage`, without storing an edit, if the text is not a stage.
  package func callAsFunction(cueID: String, rawStage: String) async throws(CueError) -> CueEditOutcome {
    guard let stage = CueStage(rawValue: rawStage) else { throw .unknownStage }
    return try await gateway.edit(cueID, stage)
  }
}
