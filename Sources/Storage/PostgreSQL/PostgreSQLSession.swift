/// A connection outside the pool that stays open.
///
/// It holds locks that the database releases when the connection ends, and receives other programs' notices.
package final class PostgreSQLSession: Sendable {
  private let connection: PostgreSQLConnection

  fileprivate init(_ connection: PostgreSQLConnection) { self.connection = connection }

  deinit { connection.endNotices() }

  /// Runs statements, each in its own transaction; throws ``StorageError``, or the errors of `body`.
  @discardableResult
  package func perform<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) async throws -> Value {
    try await connection.perform { connection in
      defer { connection.tellNotices() }
      return try body(PostgreSQLTransaction(connection: connection))
    }
  }

  /// Acquires a lock for the rest of the session.
  ///
  /// - Returns: Whether the lock was free.
  /// - Throws: ``StorageError``.
  package func lock(_ number: Int64) async throws -> Bool {
    try await perform { try $0.first("SELECT pg_try_advisory_lock(?) AS taken", number)?.flag("taken") ?? false }
  }

  /// Calls `onNotice` after notices on a channel, and `onLoss` once if the connection ends; both on a queue, where they must not block.
  package func listen(
    to channel: String, onNotice: @escaping @Sendable () -> Void, onLoss: @escaping @Sendable () -> Void
  ) async throws {
    try await connection.perform { connection in
      try connection.run(script: "LISTEN \(channel)")
      try connection.receiveNotices(onNotice, onLoss: onLoss)
    }
  }
}

extension PostgreSQLStorage {
  /// Opens a session; throws ``StorageError/unreachable(_:)``.
  package func session() async throws -> PostgreSQLSession {
    let connection = try await pool.open()
    if let schema {
      try await connection.perform { try $0.run(script: "SET search_path = \(schema)") }
    }
    return PostgreSQLSession(connection)
  }
}
