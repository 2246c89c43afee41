package import Storage

/// A console's exclusive claim on a device; a later lease of the device has a greater epoch.
package struct DeviceLease: Hashable, Sendable {
  package let deviceID: String
  package let consoleID: String
  /// Grows with each lease of the device.
  package let epoch: Int64

  /// Throws ``StorageError/fenced`` if a later lease was given; keeps one from being given until the transaction ends.
  func check(_ transaction: any StorageTransaction) throws(StorageError) {
    guard try isLast(transaction) else { throw .fenced }
  }

  /// Whether this is the latest lease; prevents a later one until the transaction ends.
  func isLast(_ transaction: any StorageTransaction) throws(StorageError) -> Bool {
    try transaction.first(
      "SELECT epoch FROM device_lease WHERE device_id = ? AND console_id = ? AND epoch = ? FOR SHARE", deviceID, consoleID, epoch)
      != nil
  }
}

/// A database as a device on one console sees it: every write checks the device's lease in its own transaction.
package struct LeasedStorage: StorageEngine {
  private let storage: any StorageEngine
  private let lease: DeviceLease

  /// The database, for what belongs to the lease's device.
  package init(_ storage: any StorageEngine, lease: DeviceLease) { (self.storage, self.lease) = (storage, lease) }

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
    { [lease] transaction in
      try lease.check(transaction)
      return try body(transaction)
    }
  }
}
