import Console
import Domain
import FoundationEssentials
import HTTPTypes
import Storage
import Support
import Team
import Testing
import Vault

/// Persons over a database with the console's tables.
struct TeamScene {
  let storage: any StorageEngine
  let rows: AccessRows
  let store: BrowserStore
  let persons: PersonStore
  let workspaces: Workspaces
  let log: AuditLog

  init(_ storage: any StorageEngine, key: SealingKey, wall: @escaping @Sendable () -> Date) throws {
    self.storage = storage
    rows = AccessRows(key: key, logger: nil)
    store = BrowserStore(storage: storage, rows: rows, onRemoval: Persons.leave, wall: wall)
    let proxy = PersonProxy(header: try #require(HTTPField.Name("X-Person")), secret: "secret")
    persons = PersonStore(proxy: proxy, store: store, wall: wall)
    workspaces = Workspaces(storage: storage, rows: rows, wall: wall)
    log = AuditLog(storage: storage, wall: wall)
  }

  /// A visit of a person.
  func visit(_ name: String) async throws -> Person { try await persons.person(named: name) }

  /// Writes down that a person makes a device; returns the entry's number.
  func note(_ person: Person, deviceID: String? = nil) async throws -> Int64 {
    try await log.begin("POST /api/devices", by: person, deviceID: deviceID, client: "192.0.2.7", requestID: "r")
  }

  /// Adds somebody to a workspace by a link.
  func join(_ workspace: String, _ access: WorkspaceAccess, _ person: Person) async throws {
    let (token, _) = try await workspaces.makeLink(to: workspace, access, hours: 1)
    #expect(try await workspaces.join(token, person)?.access == access)
  }
}

extension StorageEngineKind {
  /// Calls `body` with an engine that has the console's tables and those of a team, and nothing in them.
  func withTeam(_ body: (any StorageEngine) async throws -> Void) async throws {
    switch self {
    case .sqlite:
      let storage = try await ConsoleDatabase.open(path: nil, teamTables: PersonSchema.tables)
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
