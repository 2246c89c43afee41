import FoundationEssentials
import GRDB
package import JSON
import Locking

/// The backend's clock: the wall plus an offset that only grows until it is reset; the offset outlives a restart.
///
/// It moves lifetimes of tokens, links and codes, limits and every date in a body; not TLS, `Date` or a signature's nonce.
package final class BackendClock: Sendable {
  /// The seconds that one call may advance by: 1 s to 400 days.
  package static let step = 1...34_560_000
  /// The offset's limit, in milliseconds: 100 years.
  private static let limit: Int64 = 36_525 * Lifetimes.day

  private let wall: @Sendable () -> Date
  private let database: DatabaseQueue
  private let milliseconds: Locked<Int64>
  private let follower = Locked<(@Sendable () async -> Void)?>(nil)

  /// Takes up the offset that the database holds.
  init(wall: @escaping @Sendable () -> Date, database: DatabaseQueue) throws {
    self.wall = wall
    self.database = database
    milliseconds = Locked(try database.read { db in try StoredValue.clockOffset.integer(db) } ?? 0)
  }

  /// The backend's instant.
  package var now: Timestamp { real.adding(milliseconds.withLock { $0 }) }
  /// The machine's instant, which signatures are measured by.
  var real: Timestamp { Timestamp(wall()) }
  /// How far the clock is ahead of the machine's.
  package var offset: Duration { .milliseconds(milliseconds.withLock { $0 }) }

  /// Puts the clock forward; throws `clockOutOfRange` outside `step` or beyond 100 years in all.
  package func advance(seconds: Int) async throws(BackendError) {
    guard Self.step.contains(seconds) else { throw .clockOutOfRange }
    let added = Int64(seconds) * 1000
    try await store { offset throws(BackendError) in
      guard offset <= Self.limit - added else { throw .clockOutOfRange }
      return offset + added
    }
    await follower.withLock { $0 }?()
  }

  /// Takes what is done after every advance, before the advance is answered: work that has fallen due.
  func follow(_ action: @escaping @Sendable () async -> Void) { follower.withLock { $0 = action } }

  /// Puts the clock back to the machine's.
  package func reset() async throws(BackendError) { try await store { _ in 0 } }

  /// Sets the offset, in milliseconds, with the transaction's commit.
  func set(_ db: Database, offset: Int64) throws {
    try StoredValue.clockOffset.set(db, to: offset)
    // In the order of the commits, so that the last one counts.
    db.afterNextTransaction(onCommit: { _ in self.milliseconds.withLock { $0 = offset } })
  }

  private func store(_ change: @escaping @Sendable (Int64) throws(BackendError) -> Int64) async throws(BackendError) {
    do {
      try await database.write { db in
        try self.set(db, offset: try change(try StoredValue.clockOffset.integer(db) ?? 0))
      }
    } catch {
      throw error as? BackendError ?? .database(DatabaseFault.text(error))
    }
  }
}
