import Dispatch
package import GRDB
import Locking

/// Makes waiting changes in one transaction, so that they share one flush of the disk.
///
/// A change is on disk when its caller continues. Changes keep their order. A change that throws is rolled back without the others;
/// if the transaction itself fails, so do all of its changes.
package final class GroupedWriter: Sendable {
  private struct State {
    var waiting: [Change] = []
    var isScheduled = false
  }

  /// The maximum number of changes in a transaction, so that none waits long for the others.
  static let limit = 64

  private let database: any DatabaseWriter
  private let state = Locked(State())

  /// Creates a writer to `database`, which other code may read and write meanwhile.
  package init(_ database: any DatabaseWriter) { self.database = database }

  /// Makes a change; returns when it is on disk. Throws `CancellationError` if the task is canceled before the change begins.
  package func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try Task.checkCancellation()
    return try await withCheckedThrowingContinuation { continuation in
      add(Change(body) { continuation.resume(with: $0) })
    }
  }

  /// Makes a change and blocks the thread until it is on disk. Must not be called within another access of the database.
  package func writeAndWait<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) throws -> Value {
    let result = Locked<Result<Value, any Error>?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    add(
      Change(body) { given in
        result.withLock { $0 = given }
        isDone.signal()
      })
    isDone.wait()
    guard let result = result.withLock({ $0 }) else { throw CancellationError() }
    return try result.get()
  }

  /// The number of waiting changes.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  private func add(_ change: Change) {
    let isFirst = state.withLock { state in
      state.waiting.append(change)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if isFirst { schedule() }
  }

  private func schedule() {
    database.asyncWriteWithoutTransaction { db in
      let (changes, isMore) = self.state.withLock { state in
        let changes = Array(state.waiting.prefix(Self.limit))
        state.waiting.removeFirst(changes.count)
        state.isScheduled = !state.waiting.isEmpty
        return (changes, state.isScheduled)
      }
      // Before the commit, so that other accesses of the database run in between.
      if isMore { self.schedule() }
      Self.make(changes, db)
    }
  }

  private static func make(_ changes: [Change], _ db: Database) {
    do {
      try db.inTransaction(.immediate) {
        for change in changes { try make(change, isAlone: changes.count == 1, db) }
        return .commit
      }
      for change in changes { change.finish(nil) }
    } catch {
      for change in changes { change.finish(error) }
    }
  }

  /// Throws only errors that end the transaction.
  private static func make(_ change: Change, isAlone: Bool, _ db: Database) throws {
    if isAlone { return try change.make(db) }
    do {
      try db.inSavepoint {
        try change.make(db)
        return .commit
      }
    } catch {
      change.fail(error)
      // An error such as a full disk ends the whole transaction.
      guard db.isInsideTransaction else { throw error }
    }
  }
}

/// A change of a group.
private struct Change: Sendable {
  /// Makes the change in the group's transaction.
  let make: @Sendable (Database) throws -> Void
  /// Records that the change was rolled back.
  let fail: @Sendable (any Error) -> Void
  /// Resumes the caller, with the transaction's failure if there is one.
  let finish: @Sendable ((any Error)?) -> Void

  init<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value, then: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    let result = Locked<Result<Value, any Error>?>(nil)
    make = { db in
      let value = try body(db)
      result.withLock { $0 = .success(value) }
    }
    fail = { error in result.withLock { $0 = .failure(error) } }
    finish = { failure in
      switch (result.withLock { $0 }, failure) {
      case (.failure(let error), _): then(.failure(error))
      case (_, let failure?): then(.failure(failure))
      case (let made?, nil): then(made)
      case (nil, nil): then(.failure(CancellationError()))
      }
    }
  }
}
