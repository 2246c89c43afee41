/// The steps that create a schema, in order; a released step never changes.
package struct StorageMigrations: Sendable {
  package struct Step: Sendable {
    /// Its name in the database.
    let name: String
    /// Its statements; see ``StorageDialect/script(_:)``.
    let script: String

    package init(_ name: String, script: String) { (self.name, self.script) = (name, script) }
  }

  package let steps: [Step]

  package init(_ steps: [Step]) { self.steps = steps }

  /// The steps of both, for tables in one database.
  package static func + (first: StorageMigrations, second: StorageMigrations) -> StorageMigrations {
    StorageMigrations(first.steps + second.steps)
  }

  /// GRDB's own table, in files of earlier versions.
  private static let earlierTable = "grdb_migrations"

  /// Applies the missing steps, all or none, and returns their names. Several programs may do so at the same time.
  ///
  /// - Throws: ``StorageError/newerSchema(_:)`` if the database has steps that this program lacks.
  @discardableResult
  package func migrate(_ engine: any StorageEngine) async throws -> [String] {
    let dialect = engine.dialect
    let schema = engine.schema
    // If no table is missing, this works without the right to create one.
    guard try await !pending(engine).isEmpty else { return [] }
    return try await engine.exclusively { transaction in
      if let schema, try transaction.first("SELECT 1 AS one FROM pg_namespace WHERE nspname = ?", schema) == nil {
        try transaction.run(script: "CREATE SCHEMA \(schema)")
      }
      let missing = try missing(transaction, dialect)
      let isEarlier = try Self.exists(Self.earlierTable, transaction, dialect)
      try transaction.run(script: "CREATE TABLE IF NOT EXISTS schema_migration (name TEXT PRIMARY KEY)")
      if isEarlier {
        try transaction.run(
          script: "INSERT INTO schema_migration SELECT identifier FROM \(Self.earlierTable) WHERE true ON CONFLICT DO NOTHING")
      }
      for step in missing {
        try transaction.run(script: dialect.script(step.script))
        try transaction.execute("INSERT INTO schema_migration (name) VALUES (?)", step.name)
        // An earlier version reads only that table, and rejects a file with an unknown step.
        if isEarlier { try transaction.execute("INSERT INTO \(Self.earlierTable) (identifier) VALUES (?)", step.name) }
      }
      return missing.map(\.name)
    }
  }

  /// The names of the steps that the database lacks; throws like ``migrate(_:)``.
  package func pending(_ engine: any StorageEngine) async throws -> [String] {
    let dialect = engine.dialect
    return try await engine.read { try missing($0, dialect).map(\.name) }
  }

  private func missing(_ transaction: any StorageTransaction, _ dialect: StorageDialect) throws(StorageError) -> [Step] {
    let names =
      if try Self.exists("schema_migration", transaction, dialect) {
        try transaction.rows("SELECT name FROM schema_migration")
      } else if try Self.exists(Self.earlierTable, transaction, dialect) {
        try transaction.rows("SELECT identifier AS name FROM \(Self.earlierTable)")
      } else {
        [StorageRow]()
      }
    var taken: Set<String> = []
    for row in names { taken.insert(try row.text("name")) }
    let unknown = taken.subtracting(steps.map(\.name))
    guard unknown.isEmpty else { throw .newerSchema(unknown.sorted()) }
    return steps.filter { !taken.contains($0.name) }
  }

  private static func exists(
    _ table: String, _ transaction: any StorageTransaction, _ dialect: StorageDialect
  ) throws(StorageError) -> Bool {
    let query =
      switch dialect {
      case .sqlite: "SELECT 1 AS one FROM sqlite_master WHERE type = 'table' AND name = ?"
      case .postgreSQL: "SELECT 1 AS one FROM pg_tables WHERE tablename = ? AND schemaname = ANY (current_schemas(false))"
      }
    return try transaction.first(query, table) != nil
  }
}
