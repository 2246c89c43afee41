package import Client
import Locking
package import Observability

/// The connection between an awake device's records and their storage.
package final class DeviceSavedLog: Sendable {
  /// Where a device's records come from.
  private struct Sources: Sendable {
    let log: NetworkLog
    let timeline: DeviceTimeline
    let faults: @Sendable () -> FaultPlan
  }

  private struct State {
    var sources: Sources?
    /// The changes since the last write began; the writer is notified of the first one.
    var changes = 0
    /// The rules that were saved last; nil if they have to be saved again.
    var faults: [FaultEntry]? = []
    /// Whether a write has recorded that more changes may follow.
    var isMarkedAwake = false
    var isAwake = true
  }

  package let owner: SavedLogOwner
  private let writer: SavedLogWriter
  private let state = Locked(State())

  package init(owner: SavedLogOwner, writer: SavedLogWriter) {
    self.owner = owner
    self.writer = writer
  }

  /// Sets the sources of the records; nothing is saved before.
  package func connect(
    log: NetworkLog, timeline: DeviceTimeline, savedFaults: [FaultEntry], faults: @escaping @Sendable () -> FaultPlan
  ) {
    state.withLock { state in
      state.sources = Sources(log: log, timeline: timeline, faults: faults)
      state.faults = savedFaults
    }
  }

  /// Records that there is a change to save; cheap, because each change of a row calls it.
  package func changed() {
    let changes = state.withLock { state in
      guard state.sources != nil else { return 0 }
      state.changes += 1
      return state.changes
    }
    if changes == 1 { writer.note(self, changes: 1) }
    if changes > 0, changes % SavedLogWriter.batchLimit == 0 { writer.note(self, changes: SavedLogWriter.batchLimit) }
  }

  /// Saves the remaining changes; returns when they are saved or could not be saved. Nothing may be recorded after.
  func close() async {
    let log = state.withLock { state in
      state.isAwake = false
      return state.sources?.log
    }
    guard let log else { return }
    log.flush()
    _ = await writer.flush(self)
  }

  /// Saves all changes until now; returns false if that failed.
  @discardableResult package func flush() async -> Bool {
    state.withLock { $0.sources?.log }?.flush()
    return await writer.flush(self)
  }

  /// Where everything is saved.
  var store: SavedLogStore { writer.store }

  // MARK: For the writer

  /// Takes the changes to save; nil if there are none.
  func take() -> SavedLogBatch? {
    let (sources, isAwake) = state.withLock { state in
      state.changes = 0
      return (state.sources, state.isAwake)
    }
    guard let sources else { return nil }
    let next = sources.log.nextSeq
    let attempts = sources.log.takeUnsaved()
    let timeline = sources.timeline.takeUnsaved()
    let entries = sources.faults().entries
    let (faults, isEmpty) = state.withLock { state in
      let faults = state.faults == entries ? nil : entries
      state.faults = entries
      let isEmpty = attempts.isEmpty && timeline.isEmpty && faults == nil && isAwake == state.isMarkedAwake
      state.isMarkedAwake = isAwake
      return (faults, isEmpty)
    }
    guard !isEmpty else { return nil }
    return SavedLogBatch(
      owner: owner, attempts: attempts, next: max(next, (attempts.last?.row.seq ?? 0).next), timeline: timeline,
      faults: faults, isAwake: isAwake)
  }

  /// Takes back changes that could not be saved.
  func putBack(_ batch: SavedLogBatch) {
    let sources = state.withLock { state in
      if batch.faults != nil { state.faults = nil }
      state.isMarkedAwake = !batch.isAwake
      return state.sources
    }
    sources?.log.putBack(batch.attempts)
    sources?.timeline.putBack(batch.timeline)
  }

  // MARK: Reading

  /// A saved attempt; nil if there is none with the id. Throws `Problem.savedLogUnavailable`.
  func attempt(id: String) async throws -> NetworkRowDetail? {
    try await withStore { try await $0.attempt(id: id, of: owner) }
  }

  /// The newest saved rows before `seq` that match, oldest first; throws `Problem.savedLogUnavailable`.
  func rows(before seq: RowSequence, matching filter: NetworkFilter, limit: Int) async throws -> (
    rows: [NetworkRow], older: UInt64
  ) {
    try await withStore { try await $0.rows(before: seq, matching: filter, limit: limit, of: owner) }
  }

  // MARK: Clearing

  /// Hides what the log cleared; throws `Problem.savedLogUnavailable`.
  func clear(_ clearing: NetworkLog.Clearing) async throws {
    try await withStore { try await $0.clear(through: clearing.through, keepingEarlier: clearing.keepsEarlier, of: owner) }
  }

  /// Brings back what was cleared; throws `Problem.savedLogUnavailable`.
  func restoreCleared() async throws {
    try await withStore { try await $0.restoreCleared(of: owner) }
    changed()
  }

  /// Deletes the cleared rows for good. If that fails, the device's next wake deletes them.
  func removeCleared(_ clearing: NetworkLog.Clearing) async {
    try? await withStore { try await $0.removeCleared(through: clearing.through, of: owner) }
  }

  private func withStore<Value>(_ body: (SavedLogStore) async throws -> Value) async throws -> Value {
    do { return try await body(writer.store) } catch { throw Problem.savedLogUnavailable }
  }
}

extension Problem {
  static let savedLogUnavailable = Problem(
    .unavailable, "The saved log cannot be read or written now.", retryAfterSeconds: 5)
}
