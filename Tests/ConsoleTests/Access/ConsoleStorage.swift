import Console
import Storage
import Support
import Team

extension StorageEngineKind {
  /// Calls `body` with an engine that has the console's tables, and nothing in them.
  func withConsole(_ body: (any StorageEngine) async throws -> Void) async throws {
    switch self {
    case .sqlite:
      let folder = try TemporaryFolder()
      let storage = try await ConsoleDatabase.open(path: folder.file("console.sqlite"), teamTables: PersonSchema.tables)
      try await body(storage)
      await storage.close()
    case .postgreSQL:
      try await withEngine { storage in
        try await (ConsoleDatabase.migrations + PersonSchema.migrations).migrate(storage)
        try await body(storage)
      }
    }
  }
}
