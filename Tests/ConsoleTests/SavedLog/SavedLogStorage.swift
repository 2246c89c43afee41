import Support
import Vault

@testable import Console
@testable import Storage

extension StorageEngineKind {
  /// Calls `body` with an engine that has the tables of what devices recorded, and nothing in them.
  func withSavedLog(_ body: (any StorageEngine) async throws -> Void) async throws {
    switch self {
    case .sqlite:
      let folder = try TemporaryFolder()
      let storage = try await SavedLogSchema.open(path: folder.file("evidence.sqlite"))
      try await body(storage)
      await storage.close()
    case .postgreSQL:
      try await withEngine { storage in
        try await SavedLogSchema.migrations.migrate(storage)
        try await body(storage)
      }
    }
  }
}

extension SavedLogStore {
  /// A store in memory with a key of its own.
  static func inMemory() throws -> SavedLogStore {
    let storage = try SQLiteStorage(path: nil)
    try storage.writeAndWait { transaction in
      for step in SavedLogSchema.migrations.steps { try transaction.run(script: StorageDialect.sqlite.script(step.script)) }
    }
    return SavedLogStore(storage: storage, key: .random())
  }

  /// The whole number that a query gives; 0 for null.
  func number(_ sql: String) async throws -> Int { Int(try await storage.read { try $0.number(sql) } ?? 0) }

  /// Changes the database as a fault or another program would.
  func execute(_ sql: String) async throws { try await storage.write { try $0.execute(sql) } }
}
