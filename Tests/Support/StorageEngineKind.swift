package import Storage

/// The engines that suites of stores run on.
package enum StorageEngineKind: CaseIterable, Sendable {
  case sqlite, postgreSQL

  /// Calls `body` with an engine over an empty database.
  package func withEngine(_ body: (any StorageEngine) async throws -> Void) async throws {
    switch self {
    case .sqlite:
      let folder = try TemporaryFolder()
      let engine = try SQLiteStorage(path: folder.file("store.sqlite"))
      try await body(engine)
      await engine.close()
    case .postgreSQL:
      try await Self.withPostgreSQL { engine, _ in try await body(engine) }
    }
  }

  /// Calls `body` with an engine over an empty database with these tables.
  package func withEngine(_ scripts: String..., body: (any StorageEngine) async throws -> Void) async throws {
    let steps = StorageMigrations(scripts.enumerated().map { .init("\($0)", script: $1) })
    try await withEngine { engine in
      try await steps.migrate(engine)
      try await body(engine)
    }
  }

  /// Calls `body` with PostgreSQL over an empty database, and another pool over the same.
  package static func withPostgreSQL(
    connections: Int = 8, stalledMilliseconds: Int = 3000, _ body: (PostgreSQLStorage, PostgreSQLStorage) async throws -> Void
  ) async throws {
    let server = try PostgreSQLServer.shared()
    let name = server.newName()
    let administration = try PostgreSQLStorage(PostgreSQLAddress(server.address), password: nil, connections: 1)
    try await administration.outsideTransaction("CREATE DATABASE \(name)")
    let address = try PostgreSQLAddress(server.address(of: name))
    let engine = try PostgreSQLStorage(
      address, password: nil, connections: connections, stalledMilliseconds: stalledMilliseconds)
    let other = try PostgreSQLStorage(address, password: nil)
    try await body(engine, other)
    await engine.close()
    await other.close()
    await administration.close()
  }
}

extension PostgreSQLStorage {
  /// Runs a statement that no transaction may contain.
  package func outsideTransaction(_ sql: String) async throws {
    let transaction = try await begin()
    try await transaction.perform { try $0.run(script: "COMMIT") }
    try await transaction.perform { try $0.run(script: sql) }
    await transaction.rollBack()
  }
}
