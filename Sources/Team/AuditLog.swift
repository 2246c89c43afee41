package import Domain
package import FoundationEssentials
package import Storage

/// Records each change, its person, time and address, before it is made, so that no change is missing.
package struct AuditLog: Sendable {
  /// A change that a person made or tried to make.
  package struct Entry: Encodable, Sendable {
    /// Grows with every entry.
    package let entry: Int64
    package let at: Date
    package let personID: String
    /// The name; empty once the person was deleted.
    package let person: String
    /// The method and path of the call.
    package let action: String
    package let deviceID: String?
    /// The address that the proxy forwards.
    package let client: String
    package let requestID: String
    /// The status of the response; missing if the console ended before it.
    package let status: Int?
  }

  /// How long entries are kept, in seconds: a year.
  private static let lifetime: Double = 365 * 86_400
  /// How many entries are added between two deletions of old ones.
  private static let pruneInterval: Int64 = 500
  /// The maximum number of entries in a response.
  package static let pageLimit = 10_000
  /// The longest recorded path, in bytes.
  private static let actionLimit = 300

  private let storage: any StorageEngine
  private let wall: @Sendable () -> Date

  package init(storage: any StorageEngine, wall: @escaping @Sendable () -> Date) { (self.storage, self.wall) = (storage, wall) }

  /// Records a person's change before it is made; returns the entry's number.
  ///
  /// The name is the stored one: a console with an outdated cache must not record the name of a deleted person again.
  package func begin(
    _ action: String, by person: Person, deviceID: String?, client: String, requestID: String
  ) async throws -> Int64 {
    let now = wall().timeIntervalSince1970
    let action = String(action.prefix(Self.actionLimit))
    let entry = try await storage.write { transaction in
      try transaction.number(
        """
        INSERT INTO audit (at, person_id, person, action, device_id, client, request_id)
        VALUES (?, ?, coalesce((SELECT name FROM person WHERE person_id = ?), ''), ?, ?, ?, ?)
        RETURNING entry
        """, now, person.id, person.id, action, deviceID.map(StorageValue.text) ?? .null, client,
        requestID) ?? 0
    }
    // Rarely, and not with the entry: consoles that delete old entries at once would wait for each other.
    if entry.isMultiple(of: Self.pruneInterval) { try? await prune() }
    return entry
  }

  /// Deletes entries that are too old.
  package func prune() async throws {
    let now = wall().timeIntervalSince1970
    try await storage.write { try $0.execute("DELETE FROM audit WHERE at < ?", now - Self.lifetime) }
  }

  /// Adds the status of the response to an entry.
  package func end(_ entry: Int64, status: Int) async throws {
    try await storage.write { try $0.execute("UPDATE audit SET status = ? WHERE entry = ?", status, entry) }
  }

  /// The entries after one, oldest first; with `last`, the newest of them.
  package func entries(after entry: Int64, last: Int? = nil, limit: Int = pageLimit) async throws -> [Entry] {
    try await storage.read { transaction in
      let order = last == nil ? "" : "DESC"
      let rows = try transaction.rows("SELECT * FROM audit WHERE entry > ? ORDER BY entry \(order) LIMIT ?", entry, last ?? limit)
      return try (last == nil ? rows : rows.reversed()).map { row in
        Entry(
          entry: try row.integer("entry"), at: Date(timeIntervalSince1970: try row.real("at")),
          personID: try row.text("person_id"), person: try row.text("person"), action: try row.text("action"),
          deviceID: try row.optionalText("device_id"), client: try row.text("client"), requestID: try row.text("request_id"),
          status: try row.optionalInteger("status").map { Int($0) })
      }
    }
  }
}
