import FoundationEssentials
import GRDB
package import JSON
import Locking

/// The clock of the backend: the system time plus an offset, which is stored in the database.
///
/// Lifetimes, rate limits and every date in a body follow it; TLS, the `Date` header and the nonces of signatures do not.
package final class BackendClock: Sendable {
  /// The seconds by which one call may advance the clock: 1 s to 400 days.
  package static let step = 1...34_560_000
  /// The largest offset, in milliseconds: 100 years.
  private static let limit: Int64 = 36_525 * Lifetimes.day

  private let wall: @Sendable () -> Date
  private let database: DatabaseQueue
  private let milliseconds: Locked<Int64>
  private let afterAdvance = Locked<(@Sendable () async -> Void)?>(nil)

  /// Reads the offset from the database.
  init(wall: @escaping @Sendable () -> Date, database: DatabaseQueue) throws {
    self.wall = wall
    self.database = database
    milliseconds = Locked(try database.read { db in try StoredValue.clockOffset.integer(db) } ?? 0)
  }

  /// The time on this clock.
  package var now: Timestamp { systemTime.adding(milliseconds.withLock { $0 }) }
  /// The time of the machine, which the nonces of signatures are compared with.
  var systemTime: Timestamp { Timestamp(wall()) }
  /// How far the clock is ahead of the machine.
  package var offset: Duration { .milliseconds(milliseconds.withLock { $0 }) }

  /// Advances the clock; throws `clockOutOfRange` outside `step`, or if the offset would exceed 100 years.
  package func advance(seconds: Int) async throws(BackendError) {
    guard Self.step.contains(seconds) else { throw .clockOutOfRange }
    let added = Int64(seconds) * 1000
    try await store { offset throws(BackendError) in
      guard offset <= Self.limit - added else { throw .clockOutOfRange }
      return offset + added
    }
    await afterAdvance.withLock { $0 }?()
  }

  /// Sets the action that runs after every advance, before `advance(seconds:)` returns.
  func onAdvance(_ action: @escaping @Sendable () async -> Void) { afterAdvance.withLock { $0 = action } }

  /// Sets the clock to the time of the machine.
  package func reset() async throws(BackendError) { try await store { _ in 0 } }

  /// Sets the offset, in milliseconds, when the transaction commits.
  func set(_ db: Database, offset: Int64) throws {
    try StoredValue.clockOffset.set(db, to: offset)
    // Runs in the order of the commits, so that the last one wins.
    db.afterNextTransaction(onCommit: { _ in self.milliseconds.withLock { $0 = offset } })
  }

  private func store(_ change: @escaping @Sendable (Int64) throws(BackendError) -> Int64) async throws(BackendError) {
    do {
      try await database.write { db in
        try self.set(db, offset: try change(try StoredValue.clockOffset.integer(db) ?? 0))
      }
    } catch {
      throw error as? BackendError ?? .database(DatabaseFault.description(of: error))
    }
  }
}
