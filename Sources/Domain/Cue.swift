package import FoundationEssentials

/// How well the user knows a cue.
package enum LearningStage: String, Codable, CaseIterable, Hashable, Sendable {
  case new, learning, review, mastered
}

/// A flash card as this device shows it: the backend's version with local edits applied.
package struct Cue: Codable, Hashable, Sendable {
  private enum CodingKeys: String, CodingKey {
    case cueID, prompt, answer, stage, position, updatedAt, conflict
    case isPending = "pending"
  }

  /// The backend's version of a cue after it rejected a local edit; the user chooses between the two.
  package struct Conflict: Codable, Hashable, Sendable {
    package let stage: LearningStage
    package let updatedAt: Date

    package init(stage: LearningStage, updatedAt: Date) {
      self.stage = stage
      self.updatedAt = updatedAt
    }
  }

  package let cueID: String
  package let prompt: String
  package let answer: String
  package let stage: LearningStage
  /// The position in the profile's order, from 0.
  package let position: Int
  /// When the backend last changed the version that this device has.
  package let updatedAt: Date
  /// Whether a local edit has not reached the backend yet.
  package let isPending: Bool
  /// The backend's version, if it rejected an edit and the user has not chosen yet.
  package let conflict: Conflict?

  package init(
    cueID: String, prompt: String, answer: String, stage: LearningStage, position: Int, updatedAt: Date, isPending: Bool = false,
    conflict: Conflict? = nil
  ) {
    self.cueID = cueID
    self.prompt = prompt
    self.answer = answer
    self.stage = stage
    self.position = position
    self.updatedAt = updatedAt
    self.isPending = isPending
    self.conflict = conflict
  }
}

/// A profile's cues and their source.
package struct CueList: Hashable, Sendable {
  /// Whether the cues come from the backend or from the local store.
  package enum Source: String, Sendable {
    case network, cache
  }

  /// The cues in the profile's order.
  package let cues: [Cue]
  package let source: Source
  /// When the backend last responded.
  package let syncedAt: Date

  package init(cues: [Cue], source: Source, syncedAt: Date) {
    self.cues = cues
    self.source = source
    self.syncedAt = syncedAt
  }
}
