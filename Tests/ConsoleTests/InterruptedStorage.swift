import Locking
import Storage

/// A database in which something else happens between one access and the next.
final class InterruptedStorage: StorageWrapper {
  typealias Interruption = @Sendable () async throws -> Bool

  let engine: any StorageEngine
  private let interruption = Locked<Interruption?>(nil)

  init(_ engine: any StorageEngine) { self.engine = engine }

  /// Has `body` run after each access, though not after its own, until it returns true.
  func interrupt(_ body: @escaping Interruption) { interruption.withLock { $0 = body } }

  private func pass() async throws {
    let body = interruption.withLock { body in
      defer { body = nil }
      return body
    }
    if let body, try await !body() { interrupt(body) }
  }

  func read<Value: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> Value) async throws -> Value {
    let value = try await engine.read(body)
    try await pass()
    return value
  }

  func write<Value: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> Value) async throws -> Value {
    let value = try await engine.write(body)
    try await pass()
    return value
  }
}
