package import GRDB

extension DatabaseReader {
  /// Reads without GRDB's read-only mode, which a cancelled task can leave switched on: SQLite sets `query_only` when it prepares the
  /// pragma, and if it is interrupted before the first step, GRDB does not switch it off again. Every write would then fail.
  ///
  /// The queue runs one access at a time, so all statements of the closure see the same data.
  package func fetch<T: Sendable>(_ body: @Sendable (Database) throws -> T) async throws -> T { try await unsafeRead(body) }
}
