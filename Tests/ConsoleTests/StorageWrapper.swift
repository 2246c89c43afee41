import Storage

/// A database over another one, which does what the other one does unless it says otherwise.
protocol StorageWrapper: StorageEngine {
  var engine: any StorageEngine { get }
}

extension StorageWrapper {
  var dialect: StorageDialect { engine.dialect }
  var schema: String? { engine.schema }

  func read<Value: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> Value) async throws -> Value {
    try await engine.read(body)
  }

  func write<Value: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> Value) async throws -> Value {
    try await engine.write(body)
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
