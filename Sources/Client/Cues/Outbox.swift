import JSON
import RPC

/// One user's edits on their way to the backend: in order, one at a time, each once (seed 001).
///
/// A value without a clock, a disk or a network: it takes an event and returns actions. What it returns as `save` must be
/// kept before the value is used further; a shell that cannot keep it goes on with the value from before.
package struct Outbox: Sendable {
  /// How many edits are held at most, so that a page that runs wild does not fill the disk.
  package static let limit = 1000

  /// The edits in the order in which they were made.
  package private(set) var edits: [CueEdit]
  /// What it is doing.
  package private(set) var mode = Mode.closed
  private var failuresInARow = 0

  /// Makes the outbox of the edits that were kept; closed, as no session is known.
  package init(edits: [CueEdit]) { self.edits = edits }

  /// The edits of a cue in order.
  package func edits(cueID: String) -> [CueEdit] { edits.filter { $0.cueID == cueID } }

  /// The next edit that can be sent; those of a cue in conflict wait for the user.
  package var head: CueEdit? {
    guard !edits.isEmpty else { return nil }
    let held = Set(edits.lazy.filter(\.isConflict).map(\.cueID))
    return edits.first { !held.contains($0.cueID) }
  }

  /// Takes an event; `random` lies in 0 ..< 1 and spreads the waits.
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

  /// A move of a cue in conflict is the user's pick: it replaces what was refused, by nothing where it is the backend's stage.
  private mutating func add(id: String, key: String, cue: CueBody, stage: RPC.CueStage) -> [Action] {
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

  /// Puts edits that have not gone out onto the version that was fetched, where nothing but the cue's place changed.
  ///
  /// The head may have gone out, in this process or the one before, and then its key stands for its body.
  private mutating func rebase(_ cues: [CueBody]) -> [Action] {
    let first = head?.id
    let byID = Dictionary(cues.map { ($0.cueID, $0) }, uniquingKeysWith: { $1 })
    return edits.indices.compactMap { index in
      let edit = edits[index]
      guard edit.id != first, !edit.isConflict, let cue = byID[edit.cueID], cue.updatedAt > edit.base,
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
    // An answer to a body that is not the edit's any more, or to an edit that was given up.
    guard let index = edits.firstIndex(where: { $0.id == id && $0.key == key }) else { return sendNext() }
    let edit = edits[index]
    switch outcome {
    case .applied(let cue):
      return apply(edit, cue)
    case .conflict(let cue?) where cue.stage == edit.stage:
      // What the edit wants is so already: its own effect from a time before the backend forgot the key, or another's.
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

  /// The edit is done; later ones of its cue change what it left behind.
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
    let until = now + max(Self.delay(failuresInARow: failuresInARow, isOffline: isOffline, random: random), atLeast)
    mode = .waiting(until: until, isOffline: isOffline)
    return [.wait(until: until)]
  }

  /// 1 s doubling to 60 s, to 15 s where only connectivity is waited for; the second half of each wait is spread.
  package static func delay(failuresInARow: Int, isOffline: Bool, random: Double) -> Duration {
    let whole = min(1 << max(failuresInARow - 1, 0), isOffline ? 15 : 60)
    return .milliseconds(whole * 500 + Int(Double(whole * 500) * min(max(random, 0), 1)))
  }
}
