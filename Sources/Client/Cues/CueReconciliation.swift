import Domain
import JSON
package import RPC

/// The changes that a fetched list makes to the stored one (seed-rules L-25 "Conflicts are resolved"): the later `updated_at`
/// wins, and unsent edits stay.
///
/// The stored cues are the backend's versions, and unsent edits are applied when they are shown. So the remote version is
/// always taken if it is newer, and an edit is shown until the backend has it.
package struct CueReconciliation: Hashable, Sendable {
  /// Versions to insert or update.
  package let taken: [CueBody]
  /// Ids of stored cues that the backend no longer has.
  package let dropped: [String]

  /// Whether anything changes.
  package var changesSomething: Bool { !taken.isEmpty || !dropped.isEmpty }

  /// Compares the stored cues with the profile's complete list; `unsent` contains the ids of cues with unsent edits.
  ///
  /// A version older than the stored one comes from a response that another overtook. A cue with an unsent edit stays even if
  /// the list lacks it: the response to the edit decides.
  package init(local: [CueBody], remote: [CueBody], unsent: Set<String>) {
    let kept = Dictionary(local.map { ($0.cueID, $0) }, uniquingKeysWith: { $1 })
    let latest = Dictionary(
      remote.map { ($0.cueID, $0) }, uniquingKeysWith: { $0.updatedAt.instant > $1.updatedAt.instant ? $0 : $1 })
    taken = latest.values.filter { cue in
      guard let known = kept[cue.cueID] else { return true }
      return cue.updatedAt.instant >= known.updatedAt.instant && cue != known
    }
    dropped = local.map(\.cueID).filter { latest[$0] == nil && !unsent.contains($0) }
  }
}

extension Cue {
  /// The backend's version with the user's unsent edits applied.
  init(_ cue: CueBody, edits: [CueEdit]) {
    let isConflict = edits.contains(where: \.isConflict)
    self.init(
      cueID: cue.cueID, prompt: cue.prompt, answer: cue.answer, stage: LearningStage(edits.last?.stage ?? cue.stage),
      position: cue.position, updatedAt: cue.updatedAt.instant.date, isPending: !edits.isEmpty,
      conflict: isConflict ? Conflict(stage: LearningStage(cue.stage), updatedAt: cue.updatedAt.instant.date) : nil)
  }
}

extension LearningStage {
  /// Maps the stage.
  init(_ stage: CueStage) {
    self =
      switch stage {
      case .new: .new
      case .learning: .learning
      case .review: .review
      case .mastered: .mastered
      }
  }
}

extension CueStage {
  /// Maps the stage.
  init(_ stage: LearningStage) {
    self =
      switch stage {
      case .new: .new
      case .learning: .learning
      case .review: .review
      case .mastered: .mastered
      }
  }
}
