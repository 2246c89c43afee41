import Locking
import Storage

/// A database of which some writes fail.
final class FailingStorage: StorageWrapper {
  private struct State {
    var writes = 0
    var failures: @Sendable (Int) -> Bool = { _ in false }
  }

  private struct Failure: Error {}

  let engine: any StorageEngine
  private let state = Locked(State())

  init(_ engine: any StorageEngine) { self.engine = engine }

  /// Which writes fail, by their number from 1.
  var failures: @Sendable (Int) -> Bool {
    get { state.withLock { $0.failures } }
    set { state.withLock { $0.failures = newValue } }
  }

  func write<Value: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> Value) async throws -> Value {
    let fails = state.withLock { state in
      state.writes += 1
      return state.failures(state.writes)
    }
    if fails { throw Failure() }
    return try await engine.write(body)
  }
}
