/// Admits writes only while a query finds a row, which another writer changes before it takes over.
package struct WriteFence: Hashable, Sendable {
  private let query: String
  private let arguments: [StorageValue]

  /// Creates a fence whose query locks the row that it finds, so that no other writer changes it until the transaction ends.
  package init(_ query: String, _ arguments: any StorageConvertible...) {
    self.query = query
    self.arguments = arguments.map(\.storageValue)
  }

  /// Throws ``StorageError/fenced`` if another writer has taken over; blocks a takeover until the transaction ends.
  package func check(_ transaction: any StorageTransaction) throws(StorageError) {
    guard try isOpen(transaction) else { throw .fenced }
  }

  /// Whether no other writer has taken over; blocks a takeover until the transaction ends.
  package func isOpen(_ transaction: any StorageTransaction) throws(StorageError) -> Bool {
    try !transaction.rows(query, arguments).isEmpty
  }
}

/// A database in which every write checks a fence in its own transaction.
package struct FencedStorage: StorageEngine {
  private let storage: any StorageEngine
  private let fence: WriteFence

  /// Creates a view of the database for a writer whose writes `fence` admits.
  package init(_ storage: any StorageEngine, fence: WriteFence) { (self.storage, self.fence) = (storage, fence) }

  package var dialect: StorageDialect { storage.dialect }
  package var schema: String? { storage.schema }

  package func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) async throws -> Value { try await storage.read(body) }

  @discardableResult
  package func write<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) async throws -> Value { try await storage.write(checked(body)) }

  package func exclusively<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) async throws -> Value { try await storage.exclusively(checked(body)) }

  package func readAndWait<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) throws -> Value { try storage.readAndWait(body) }

  @discardableResult
  package func writeAndWait<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) throws -> Value { try storage.writeAndWait(checked(body)) }

  package func purge() async throws { try await storage.purge() }

  package func close() async { await storage.close() }

  private func checked<Value>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) -> @Sendable (any StorageTransaction) throws -> Value {
    { [fence] transaction in
      try fence.check(transaction)
      return try body(transaction)
    }
  }
}
