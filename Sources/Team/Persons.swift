package import Domain
package import FoundationEssentials
package import Storage

/// The people of a team, their reserved accounts, their workspaces, and their changes.
package struct Persons: DeviceAccessPolicy {
  package let store: PersonStore
  package let accounts: AccountLeases
  package let workspaces: Workspaces
  package let log: AuditLog

  /// The people of `store`, who share a database and a backend; for `tagKey` see ``AccountLeases``.
  package init(
    store: PersonStore, storage: any StorageEngine, rows: AccessRows, backendID: String, tagKey: [UInt8],
    wall: @escaping @Sendable () -> Date
  ) {
    self.store = store
    accounts = AccountLeases(storage: storage, backendID: backendID, tagKey: tagKey, wall: wall)
    workspaces = Workspaces(storage: storage, rows: rows, wall: wall)
    log = AuditLog(storage: storage, wall: wall)
  }

  package func person(named name: String) async throws -> Person? { try await store.person(named: name) }

  package func access(of person: Person?) async throws -> [String: WorkspaceAccess]? {
    guard let person else { return [:] }
    return try await workspaces.access(of: person)
  }

  package func check(_ identifiers: [Identifier], for person: Person?, mustKnow: Bool) async throws {
    for identifier in identifiers { try await accounts.check(identifier, personID: person?.id) }
    if mustKnow, identifiers.isEmpty, try await accounts.isAnyReserved(besidesBy: person?.id) {
      throw PersonError.accountUnread
    }
  }

  package func begin(
    _ action: String, by person: Person, deviceID: String?, client: String, requestID: String
  ) async throws -> Int64? {
    try await log.begin(action, by: person, deviceID: deviceID, client: client, requestID: requestID)
  }

  package func end(_ entry: Int64, status: Int) async throws { try await log.end(entry, status: status) }

  /// Runs before a browser is deleted. If it is a person's, removes the name from the audit log, whose entries stay; and
  /// transfers the workspaces that only the person manages to another member, or deletes them.
  package static func leave(_ transaction: any StorageTransaction, _ rows: AccessRows, browserID: String) throws {
    guard try transaction.first("SELECT 1 AS one FROM person WHERE person_id = ?", browserID) != nil else { return }
    try Workspaces.transferManagement(transaction, rows, from: browserID)
    try transaction.execute("UPDATE audit SET person = '' WHERE person_id = ?", browserID)
  }
}
