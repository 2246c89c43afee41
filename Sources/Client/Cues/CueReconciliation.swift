import Domain
import JSON
package import RPC

/// What a fetched list changes in the kept one (seed 001): the later stamp wins, and what the user edited is kept.
///
/// The kept cues are the backend's versions, over which unsent edits are laid: so the remote version is always taken where it
/// is newer, and an edit still shows until the backend has it.
package struct CueReconciliation: Hashable, Sendable {
  /// Versions that replace or join the kept ones.
  package let taken: [CueBody]
  /// Ids of kept cues that the backend no longer has.
  package let dropped: [String]

  /// Whether anything changes.
  package var changesSomething: Bool { !taken.isEmpty || !dropped.isEmpty }

  /// Compares the kept cues with the profile's whole list; `unsent` are the ids of cues with edits that are not sent.
  ///
  /// An older version than the kept one comes from an answer that another has overtaken. A cue with an unsent edit stays even
  /// where the list lacks it: the backend's answer to the edit is what ends it.
  package init(local: [CueBody], remote: [CueBody], unsent: Set<String>) {
    let kept = Dictionary(local.map { ($0.cueID, $0) }, uniquingKeysWith: { $1 })
    let latest = Dictionary(remote.map { ($0.cueID, $0) }, uniquingKeysWith: { $0.updatedAt > $1.updatedAt ? $0 : $1 })
    taken = latest.values.filter { cue in
      guard let known = kept[cue.cueID] else { return true }
      return cue.updatedAt >= known.updatedAt && cue != known
    }
    dropped = local.map(\.cueID).filter { latest[$0] == nil && !unsent.contains($0) }
  }
}

extension Cue {
  /// The backend's version with the user's unsent edits of it laid over, the last of which shows.
  init(_ cue: CueBody, edits: [CueEdit]) {
    let isConflict = edits.contains(where: \.isConflict)
    self.init(
      cueID: cue.cueID, prompt: cue.prompt, answer: cue.answer, stage: Domain.CueStage(edits.last?.stage ?? cue.stage),
      position: cue.position, updatedAt: cue.updatedAt.date, isPending: !edits.isEmpty,
      conflict: isConflict ? Conflict(stage: Domain.CueStage(cue.stage), updatedAt: cue.updatedAt.date) : nil)
  }
}

extension Domain.CueStage {
  /// The stage as the backend calls it.
  init(_ stage: RPC.CueStage) {
    self =
      switch stage {
      case .new: .new
      case .learning: .learning
      case .review: .review
      case .mastered: .mastered
      }
  }
}

extension RPC.CueStage {
  /// The stage as the backend calls it.
  init(_ stage: Domain.CueStage) {
    self =
      switch stage {
      case .new: .new
      case .learning: .learning
      case .review: .review
      case .mastered: .mastered
      }
  }
}
