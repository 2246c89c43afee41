import JSON
import RPC

extension CueBody {
  /// Whether the backend left out a field that the device may have stored.
  var isIncomplete: Bool {
    profileID.isEmpty || prompt.isEmpty || answer.isEmpty || position == Self.unknownPosition
      || updatedAt.instant == Self.unknownUpdate
  }

  /// The cue with the fields that the backend left out: from the stored version, otherwise from its profile and its place in the
  /// list.
  func completed(by known: CueBody?, profileID owner: String, index: Int) -> CueBody {
    CueBody(
      cueID: cueID, profileID: profileID.isEmpty ? owner : profileID, prompt: prompt.isEmpty ? known?.prompt ?? "" : prompt,
      answer: answer.isEmpty ? known?.answer ?? "" : answer, stage: stage,
      position: position == Self.unknownPosition ? known?.position ?? index : position,
      updatedAt: updatedAt.instant == Self.unknownUpdate ? known?.updatedAt ?? updatedAt : updatedAt)
  }
}

extension CueBody {
  /// The response to an edit that the backend accepted: a stage that is missing or unknown, and so read as `new`, becomes the
  /// edit's stage.
  func accepting(_ edited: CueStage) -> CueBody {
    CueBody(
      cueID: cueID, profileID: profileID, prompt: prompt, answer: answer, stage: stage == .new ? edited : stage,
      position: position,
      updatedAt: updatedAt)
  }
}

extension CueStore {
  /// The cues of a response, completed by the stored versions.
  func completed(_ cues: [CueBody], owner: CueOwner) throws(CueStoreError) -> [CueBody] {
    guard cues.contains(where: \.isIncomplete) else { return cues }
    let stored = try list(owner)?.cues ?? []
    let known = Dictionary(stored.map { ($0.cueID, $0) }, uniquingKeysWith: { $1 })
    return cues.enumerated().map { $1.completed(by: known[$1.cueID], profileID: owner.profileID, index: $0) }
  }

  /// The outcome of an edit with its cue completed by the stored version.
  func completed(_ outcome: Outbox.Outcome, owner: CueOwner) -> Outbox.Outcome {
    func complete(_ cue: CueBody) -> CueBody {
      guard cue.isIncomplete else { return cue }
      let known = try? self.cue(id: cue.cueID, userID: owner.userID)
      return cue.completed(by: known, profileID: owner.profileID, index: 0)
    }
    return switch outcome {
    case .applied(let cue): .applied(complete(cue))
    case .conflict(let cue?): .conflict(complete(cue))
    default: outcome
    }
  }
}
