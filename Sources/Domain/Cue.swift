package import FoundationEssentials

/// How well a cue is known: the stages that it goes through.
package enum CueStage: String, CaseIterable, Hashable, Sendable {
  case new, learning, review, mastered
}

/// A card to learn, as this device shows it: the backend's version with what was edited here laid over it.
package struct Cue: Hashable, Sendable {
  /// The backend's version of a cue whose edit it refused, between which and the own one the user has to pick.
  package struct Conflict: Hashable, Sendable {
    package let stage: CueStage
    package let updatedAt: Date

    /// Makes a conflict of the backend's stage and stamp.
    package init(stage: CueStage, updatedAt: Date) {
      self.stage = stage
      self.updatedAt = updatedAt
    }
  }

  package let cueID: String
  package let prompt: String
  package let answer: String
  package let stage: CueStage
  /// The place in the profile's order, from 0 on.
  package let position: Int
  /// The backend's stamp of the version that is known here.
  package let updatedAt: Date
  /// Whether an edit of it has not reached the backend.
  package let isPending: Bool
  /// What the backend holds instead, where it refused an edit and the user has not picked yet.
  package let conflict: Conflict?

  /// Makes a cue of its parts.
  package init(
    cueID: String, prompt: String, answer: String, stage: CueStage, position: Int, updatedAt: Date, isPending: Bool = false,
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

/// A profile's cues with where they come from.
package struct CueList: Hashable, Sendable {
  /// Whether the backend was heard a moment ago, or what was kept is shown.
  package enum Source: String, Sendable {
    case network, cache
  }

  /// In their order.
  package let cues: [Cue]
  package let source: Source
  /// When the backend was last heard.
  package let syncedAt: Date

  /// Makes a list of its parts.
  package init(cues: [Cue], source: Source, syncedAt: Date) {
    self.cues = cues
    self.source = source
    self.syncedAt = syncedAt
  }
}
