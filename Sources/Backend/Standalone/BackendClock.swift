import FoundationEssentials
package import JSON
import Locking
import Storage

/// The clock of the backend: the system time plus an offset, which is stored in the database.
///
/// Lifetimes, rate limits and every date in a body follow it; TLS, the `Date` header and the nonces of signatures do not.
package final class BackendClock: Sendable {
  /// The seconds by which one call may advance the clock: 1 s to 400 days.
  private static let step = 1...34_560_000
  /// The largest offset, in milliseconds: 100 years.
  fileprivate static let limit: Int64 = 36_525 * Lifetimes.day

  private let wall: @Sendable () -> Date
  private let storage: any StorageEngine
  private let setting: Locked<Setting>
  private let afterAdvance = Locked<(@Sendable () async -> Void)?>(nil)

  /// How far the stored clock is ahead.
  struct Setting: Sendable {
    /// In milliseconds.
    fileprivate let offset: Int64
    /// Counts the changes, so that the last one wins.
    fileprivate let revision: Int64

    /// Reads it from the database.
    init(_ transaction: any StorageTransaction) throws {
      // A writer of the database can store any number; one out of range counts as none.
      offset = try StoredValue.clockOffset.integer(transaction).flatMap { (0...BackendClock.limit).contains($0) ? $0 : nil } ?? 0
      revision = try StoredValue.clockRevision.integer(transaction).flatMap { (0...(1 << 48)).contains($0) ? $0 : nil } ?? 0
    }

    private init(offset: Int64, revision: Int64) { (self.offset, self.revision) = (offset, revision) }

    /// Stores another offset; ``BackendClock/keep(_:)`` applies it after the commit.
    func changed(_ transaction: any StorageTransaction, offset: Int64) throws -> Setting {
      try StoredValue.clockOffset.set(transaction, to: offset)
      try StoredValue.clockRevision.set(transaction, to: revision + 1)
      return Setting(offset: offset, revision: revision + 1)
    }
  }

  /// Reads the offset from the database.
  init(wall: @escaping @Sendable () -> Date, storage: any StorageEngine) async throws {
    self.wall = wall
    self.storage = storage
    setting = Locked(try await storage.read { try Setting($0) })
  }

  /// The time on this clock.
  package var now: Timestamp { systemTime.adding(setting.withLock { $0.offset }) }
  /// The time of the machine, which the nonces of signatures are compared with.
  var systemTime: Timestamp { Timestamp(wall()) }
  /// How far the clock is ahead of the machine.
  package var offset: Duration { .milliseconds(setting.withLock { $0.offset }) }

  /// Advances the clock; throws `clockOutOfRange` outside `step`, or if the offset would exceed 100 years.
  package func advance(seconds: Int) async throws(BackendStartError) {
    guard Self.step.contains(seconds) else { throw .clockOutOfRange }
    let added = Int64(seconds) * 1000
    try await store { offset throws(BackendStartError) in
      guard offset <= Self.limit - added else { throw .clockOutOfRange }
      return offset + added
    }
    await afterAdvance.withLock { $0 }?()
  }

  /// Sets the action that runs after every advance, before `advance(seconds:)` returns.
  func onAdvance(_ action: @escaping @Sendable () async -> Void) { afterAdvance.withLock { $0 = action } }

  /// Sets the clock to the time of the machine.
  package func reset() async throws(BackendStartError) { try await store { _ in 0 } }

  /// Applies a stored setting, unless a newer one was applied already.
  func keep(_ stored: Setting) { setting.withLock { if stored.revision > $0.revision { $0 = stored } } }

  private func store(_ change: @escaping @Sendable (Int64) throws(BackendStartError) -> Int64) async throws(BackendStartError) {
    do {
      keep(
        try await storage.write { transaction in
          let before = try Setting(transaction)
          return try before.changed(transaction, offset: try change(before.offset))
        })
    } catch {
      throw error as? BackendStartError ?? .database(DatabaseFault.description(of: error))
    }
  }
}
