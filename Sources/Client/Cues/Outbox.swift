import JSON
import RPC

/// One user's edits on their way to the backend (seed-rules L-25 "unsynced edits win"): in order, one at a time, each exactly once.
///
/// A value without clock, disk or network: it takes events and returns actions. `save` actions must be saved before the new
/// value is used; if that fails, the caller keeps the old value.
package struct Outbox: Sendable {
  /// The most edits kept, so that a faulty page cannot fill the disk.
  package static let limit = 1000

  /// The edits in the order in which they were made.
  package private(set) var edits: [CueEdit]
  /// Its current mode.
  package private(set) var mode = Mode.closed
  private let backoff: Backoff
  private var failuresInARow = 0

  /// Creates a closed outbox with the stored edits.
  package init(edits: [CueEdit], backoff: Backoff = .standard) {
    self.edits = edits
    self.backoff = backoff
  }

  /// The edits of a cue in order.
  package func edits(cueID: String) -> [CueEdit] { edits.filter { $0.cueID == cueID } }

  /// The next edit that can be sent; edits of a cue in conflict wait for the user.
  package var head: CueEdit? {
    guard !edits.isEmpty else { return nil }
    let held = Set(edits.lazy.filter(\.isConflict).map(\.cueID))
    return edits.first { !held.contains($0.cueID) }
  }

  /// Handles an event; `random`, in 0 ..< 1, is the jitter of waits.
  package mutating func handle(_ event: Event, now: ContinuousClock.Instant, random: Double = 0.5) -> [Action] {
    switch event {
    case .open:
      guard mode == .closed else { return [] }
      mode = .idle
      return sendNext()
    case .close:
      mode = .closed
      failuresInARow = 0
      return []
    case .discard:
      defer { edits = [] }
      if mode != .closed { mode = .idle }
      return edits.map { .save(.remove($0)) }
    case .edit(let id, let key, let cue, let stage):
      return add(id: id, key: key, cue: cue, stage: stage)
    case .wake:
      return wake()
    case .timer:
      guard case .waiting(let until, _) = mode, until <= now else { return [] }
      mode = .idle
      return sendNext()
    case .fetched(let cues):
      return rebase(cues)
    case .result(let id, let key, let outcome, let newKey):
      return finish(id: id, key: key, outcome, newKey: newKey, now: now, random: random)
    }
  }

  private mutating func wake() -> [Action] {
    if case .waiting(_, isOffline: true) = mode { mode = .idle }
    return sendNext()
  }

  private mutating func sendNext() -> [Action] {
    guard mode == .idle, let head else { return [] }
    mode = .sending(id: head.id)
    return [.send(head)]
  }

  /// An edit of a cue in conflict is the user's pick: it replaces the edits of that cue, and drops them if it picks the
  /// backend's stage.
  private mutating func add(id: String, key: String, cue: CueBody, stage: CueStage) -> [Action] {
    var actions: [Action] = []
    var isWanted = true
    if edits.contains(where: { $0.cueID == cue.cueID && $0.isConflict }) {
      let replaced = edits(cueID: cue.cueID)
      edits.removeAll { $0.cueID == cue.cueID }
      actions += replaced.map { .save(.remove($0)) }
      isWanted = stage != cue.stage
    }
    let edit = CueEdit(
      id: id, profileID: cue.profileID, cueID: cue.cueID, stage: stage, base: cue.updatedAt, baseStage: cue.stage, key: key)
    guard isWanted else { return actions + [.resolve(edit, .applied)] }
    edits.append(edit)
    return actions + [.save(.insert(edit))] + wake()
  }

  /// Rebases unsent edits on the fetched version if the cue's stage is unchanged.
  ///
  /// The head may have been sent already, by this process or an earlier one, and its key belongs to its body.
  private mutating func rebase(_ cues: [CueBody]) -> [Action] {
    let first = head?.id
    let byID = Dictionary(cues.map { ($0.cueID, $0) }, uniquingKeysWith: { $1 })
    return edits.indices.compactMap { index in
      let edit = edits[index]
      guard edit.id != first, !edit.isConflict, let cue = byID[edit.cueID], cue.updatedAt.instant > edit.base.instant,
        cue.stage == edit.baseStage
      else { return nil }
      edits[index].base = cue.updatedAt
      return .save(.update(edits[index]))
    }
  }

  private mutating func finish(
    id: String, key: String, _ outcome: Outcome, newKey: String, now: ContinuousClock.Instant, random: Double
  ) -> [Action] {
    if mode == .sending(id: id) { mode = .idle }
    // A response to an earlier body of the edit, or to a dropped edit.
    guard let index = edits.firstIndex(where: { $0.id == id && $0.key == key }) else { return sendNext() }
    let edit = edits[index]
    switch outcome {
    case .applied(let cue):
      return apply(edit, cue)
    case .conflict(let cue?) where cue.stage == edit.stage:
      // The backend has the wanted stage already: by this edit, after its key expired, or by another client's edit.
      return apply(edit, cue)
    case .conflict(let cue?) where !edit.isRebased:
      edits[index].base = cue.updatedAt
      edits[index].baseStage = cue.stage
      edits[index].key = newKey
      edits[index].isRebased = true
      return [.save(.update(edits[index])), .save(.store(cue))] + sendNext()
    case .conflict(let cue):
      edits[index].isConflict = true
      failuresInARow = 0
      return [.save(.update(edits[index]))] + (cue.map { [.save(.store($0))] } ?? [])
        + [.resolve(edits[index], .conflict)] + sendNext()
    case .gone:
      let dropped = edits(cueID: edit.cueID)
      edits.removeAll { $0.cueID == edit.cueID }
      failuresInARow = 0
      return dropped.map { .save(.remove($0)) } + [.save(.forget(cueID: edit.cueID))] + dropped.map { .resolve($0, .gone) }
        + sendNext()
    case .refused:
      edits.remove(at: index)
      failuresInARow = 0
      return [.save(.remove(edit)), .resolve(edit, .refused)] + sendNext()
    case .keyConflict:
      edits[index].key = newKey
      return [.save(.update(edits[index]))] + wait(isOffline: false, atLeast: .zero, now: now, random: random)
    case .offline:
      return wait(isOffline: true, atLeast: .zero, now: now, random: random)
    case .busy(let seconds):
      return wait(isOffline: false, atLeast: .seconds(min(max(seconds ?? 0, 0), 3600)), now: now, random: random)
    case .sessionOver:
      if mode == .idle { mode = .closed }
      return []
    }
  }

  /// The edit is done; later edits of the cue build on its result.
  private mutating func apply(_ edit: CueEdit, _ cue: CueBody) -> [Action] {
    failuresInARow = 0
    edits.removeAll { $0.id == edit.id }
    var actions: [Action] = [.save(.remove(edit)), .save(.store(cue))]
    for index in edits.indices where edits[index].cueID == edit.cueID && !edits[index].isConflict {
      edits[index].base = cue.updatedAt
      edits[index].baseStage = cue.stage
      actions.append(.save(.update(edits[index])))
    }
    return actions + [.resolve(edit, .applied)] + sendNext()
  }

  private mutating func wait(
    isOffline: Bool, atLeast: Duration, now: ContinuousClock.Instant, random: Double
  ) -> [Action] {
    guard mode == .idle else { return [] }
    failuresInARow = min(failuresInARow + 1, 7)
    let until = now + max(backoff.pause(failuresInARow, random: random), atLeast)
    mode = .waiting(until: until, isOffline: isOffline)
    return [.wait(until: until)]
  }

}
