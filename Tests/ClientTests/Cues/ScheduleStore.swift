@testable import Client
import JSON
import RPC
import Locking

/// The store that survives a kill in a schedule: the real one, or one in memory that is as strict and fast enough for thousands
/// of runs.
struct ScheduleStore: Sendable {
  let edits: @Sendable (_ userID: String) throws(CueStoreError) -> [CueEdit]
  let cue: @Sendable (_ id: String, _ userID: String) throws(CueStoreError) -> CueBody?
  let reconcile: @Sendable (_ remote: [CueBody], _ userID: String) throws(CueStoreError) -> Void
  let keep: @Sendable (_ changes: [CueChange], _ userID: String) throws(CueStoreError) -> Void

  /// The outbox of a user as a process finds it at its start.
  func outbox(_ userID: String) throws(CueStoreError) -> PersistentOutbox {
    PersistentOutbox(userID: userID, edits: try edits(userID)) { [keep] changes throws(CueStoreError) in try keep(changes, userID)
    }
  }

  /// The real one.
  static func database(_ store: CueStore) -> ScheduleStore {
    ScheduleStore(
      edits: { userID throws(CueStoreError) in try store.edits(userID: userID) },
      cue: { id, userID throws(CueStoreError) in try store.cue(id: id, userID: userID) },
      reconcile: { remote, userID throws(CueStoreError) in
        try store.reconcile(remote, owner: CueOwner(userID: userID, profileID: "p"), syncedAt: Timestamp(milliseconds: 1))
      },
      keep: { changes, userID throws(CueStoreError) in try store.apply(changes, userID: userID) })
  }

  private final class Memory: Sendable {
    struct Rows {
      var edits: [String: [CueEdit]] = [:]
      var cues: [String: [String: CueBody]] = [:]
    }
    let rows = Locked(Rows())
  }

  /// One in memory, with the same rules.
  static func memory() -> ScheduleStore {
    let memory = Memory()
    return ScheduleStore(
      edits: { userID throws(CueStoreError) in memory.rows.withLock { $0.edits[userID] ?? [] } },
      cue: { id, userID throws(CueStoreError) in memory.rows.withLock { $0.cues[userID]?[id] } },
      reconcile: { remote, userID throws(CueStoreError) in
        memory.rows.withLock { rows in
          let result = CueReconciliation(
            local: rows.cues[userID].map { Array($0.values) } ?? [], remote: remote,
            unsent: Set((rows.edits[userID] ?? []).map(\.cueID)))
          for id in result.dropped { rows.cues[userID]?[id] = nil }
          for cue in result.taken { rows.cues[userID, default: [:]][cue.cueID] = cue }
        }
      },
      keep: { changes, userID throws(CueStoreError) in
        memory.rows.withLock { rows in for change in changes { apply(change, userID, &rows) } }
      })
  }

  private static func apply(_ change: CueChange, _ userID: String, _ rows: inout Memory.Rows) {
    switch change {
    case .insert(let edit): rows.edits[userID, default: []].append(edit)
    case .update(let edit):
      guard let index = rows.edits[userID]?.firstIndex(where: { $0.id == edit.id }) else { return }
      rows.edits[userID]?[index] = edit
    case .remove(let edit): rows.edits[userID]?.removeAll { $0.id == edit.id }
    case .store(let cue):
      guard let known = rows.cues[userID]?[cue.cueID], known.updatedAt.instant <= cue.updatedAt.instant else { return }
      rows.cues[userID]?[cue.cueID] = cue
    case .forget(let cueID): rows.cues[userID]?[cueID] = nil
    }
  }
}
