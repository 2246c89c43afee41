/// Moves a cue to a stage, with or without the backend in reach (seed 001).
package struct UpdateCueStage: Sendable {
  private let gateway: CueGateway

  /// Makes the use case of its port.
  package init(gateway: CueGateway) { self.gateway = gateway }

  /// Moves the cue; for one in conflict, the stage is the user's pick between the two versions.
  ///
  /// Throws `CueError.unknownStage` for a word that is none, before anything is kept.
  package func callAsFunction(cueID: String, rawStage: String) async throws(CueError) -> CueEditOutcome {
    guard let stage = CueStage(rawValue: rawStage) else { throw .unknownStage }
    return try await gateway.edit(cueID, stage)
  }
}
