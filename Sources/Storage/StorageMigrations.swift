/// The steps that make a schema, in order; a step never changes once a version has it.
package struct StorageMigrations: Sendable {
  /// One step.
  package struct Step: Sendable {
    /// Its name in the database.
    let name: String
    /// Its statements; see ``StorageDialect/script(_:)``.
    let script: String

    package init(_ name: String, script: String) { (self.name, self.script) = (name, script) }
  }

  /// The steps.
  package let steps: [Step]

  package init(_ steps: [Step]) { self.steps = steps }

  private static let table = "CREATE TABLE IF NOT EXISTS schema_migration (name TEXT PRIMARY KEY)"

  /// Takes the steps that the database lacks and returns their names; all or none. Several programs may do so at the same time.
  ///
  /// - Throws: ``StorageError/newerSchema(_:)`` if the database has steps that this program does not know.
  @discardableResult
  package func migrate(_ engine: any StorageEngine) async throws -> [String] {
    let dialect = engine.dialect
    // A user who may not make tables needs no right to if there are none to make.
    guard try await !pending(engine).isEmpty else { return [] }
    return try await engine.exclusively { transaction in
      try transaction.run(script: Self.table)
      let missing = try self.missing(transaction)
      for step in missing {
        try transaction.run(script: dialect.script(step.script))
        try transaction.execute("INSERT INTO schema_migration (name) VALUES (?)", .text(step.name))
      }
      return missing.map(\.name)
    }
  }

  /// The names of the steps that the database lacks; throws like ``migrate(_:)``.
  package func pending(_ engine: any StorageEngine) async throws -> [String] {
    let dialect = engine.dialect
    return try await engine.read { transaction in
      let known =
        dialect == .postgreSQL
        ? "SELECT 1 AS one FROM pg_tables WHERE tablename = 'schema_migration' AND schemaname = ANY (current_schemas(false))"
        : "SELECT 1 AS one FROM sqlite_master WHERE type = 'table' AND name = 'schema_migration'"
      guard try !transaction.rows(known).isEmpty else { return steps.map(\.name) }
      return try self.missing(transaction).map(\.name)
    }
  }

  private func missing(_ transaction: any StorageTransaction) throws(StorageError) -> [Step] {
    var taken: Set<String> = []
    for row in try transaction.rows("SELECT name FROM schema_migration") { taken.insert(try row.text("name")) }
    let unknown = taken.subtracting(steps.map(\.name))
    guard unknown.isEmpty else { throw .newerSchema(unknown.sorted()) }
    return steps.filter { !taken.contains($0.name) }
  }
}
