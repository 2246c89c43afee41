import Locking
import Storage

/// A database of which some writes fail.
final class FailingStorage: StorageEngine {
  private struct State {
    var writes = 0
    var failures: @Sendable (Int) -> Bool = { _ in false }
  }

  private struct Failure: Error {}

  private let engine: any StorageEngine
  private let state = Locked(State())

  init(_ engine: any StorageEngine) { self.engine = engine }

  /// Which writes fail, by their number from 1.
  var failures: @Sendable (Int) -> Bool {
    get { state.withLock { $0.failures } }
    set { state.withLock { $0.failures = newValue } }
  }

  var dialect: StorageDialect { engine.dialect }
  var schema: String? { engine.schema }

  func read<Value: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> Value) async throws -> Value {
    try await engine.read(body)
  }

  func write<Value: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> Value) async throws -> Value {
    let fails = state.withLock { state in
      state.writes += 1
      return state.failures(state.writes)
    }
    if fails { throw Failure() }
    return try await engine.write(body)
  }

  func exclusively<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) async throws -> Value { try await engine.exclusively(body) }

  func readAndWait<Value: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> Value) throws -> Value {
    try engine.readAndWait(body)
  }

  func writeAndWait<Value: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> Value) throws -> Value {
    try engine.writeAndWait(body)
  }

  func purge() async throws { try await engine.purge() }

  func close() async { await engine.close() }
}
