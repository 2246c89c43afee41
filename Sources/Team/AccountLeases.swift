package import Domain
package import FoundationEssentials
package import Storage
import Vault

/// The accounts of the backend that a person has reserved for a while, so that two people do not test with one account at once.
///
/// The database has a keyed tag and a sealed copy of each identifier, never the text.
package struct AccountLeases: Sendable {
  /// An account that a person has reserved.
  package struct Lease: Hashable, Sendable {
    package let id: String
    package let identifier: String
    package let personID: String
    package let person: String
    /// Seconds since 1970.
    package let until: Double
  }

  /// The longest time, in minutes: eight hours.
  package static let minutesLimit = 480
  /// How many accounts a person can take.
  package static let personLimit = 20

  /// The script that creates the table.
  static let schema = """
    CREATE TABLE IF NOT EXISTS account_lease (
      lease_id TEXT NOT NULL PRIMARY KEY,
      tag {bytes} NOT NULL UNIQUE,
      sealed {bytes} NOT NULL,
      person_id TEXT NOT NULL REFERENCES person (person_id) ON DELETE CASCADE,
      until_at {real} NOT NULL
    );
    """

  private let storage: any StorageEngine
  private let backendID: String
  private let tagKey: [UInt8]
  private let key: SealingKey?
  private let wall: @Sendable () -> Date

  /// The leases of a backend's accounts; `tagKey` outlives a rotation of the vault's key.
  package init(storage: any StorageEngine, backendID: String, tagKey: [UInt8], wall: @escaping @Sendable () -> Date) {
    self.storage = storage
    self.backendID = backendID
    self.tagKey = tagKey
    self.wall = wall
    key = SealingKey(bytes: HMAC.sha256(Array("account leases".utf8), key: tagKey))
  }

  /// Reserves an account or extends the reservation.
  ///
  /// - Throws: ``PersonError`` if another person has the account, or if the person has too many.
  package func reserve(_ identifier: Identifier, _ person: Person, minutes: Int) async throws -> Lease {
    let tag = tag(identifier)
    let now = wall().timeIntervalSince1970
    guard let key else { throw VaultError.malformedKeyFile }
    let lease = Lease(
      id: SecureRandom.uuid(), identifier: identifier.text, personID: person.id, person: person.name,
      until: now + Double(minutes * 60))
    let sealed = key.seal(Array(identifier.text.utf8), associatedData: tag)
    return try await storage.write { transaction in
      try transaction.execute("DELETE FROM account_lease WHERE until_at <= ?", now)
      if let other = try Self.holder(transaction, tag), other.personID != person.id { throw Self.taken(other, now: now) }
      try transaction.execute("DELETE FROM account_lease WHERE tag = ?", tag)
      guard try transaction.number("SELECT count(*) FROM account_lease WHERE person_id = ?", person.id) ?? 0 < Self.personLimit
      else { throw PersonError.tooManyAccounts(Self.personLimit) }
      try transaction.execute(
        "INSERT INTO account_lease (lease_id, tag, sealed, person_id, until_at) VALUES (?, ?, ?, ?, ?)", lease.id, tag, sealed,
        person.id, lease.until)
      return lease
    }
  }

  /// Throws ``PersonError`` if another person has reserved the account.
  package func check(_ identifier: Identifier, personID: String?) async throws {
    let tag = tag(identifier)
    let now = wall().timeIntervalSince1970
    guard let holder = try await storage.read({ try Self.holder($0, tag) }), holder.until > now, holder.personID != personID
    else {
      return
    }
    throw Self.taken(holder, now: now)
  }

  /// Whether another person has reserved any account of the backend.
  package func isAnyReserved(besidesBy personID: String?) async throws -> Bool {
    let now = wall().timeIntervalSince1970
    let rows = try await storage.read { transaction in
      try transaction.rows(
        "SELECT tag, sealed FROM account_lease WHERE until_at > ? AND person_id <> ?", now, personID ?? "")
    }
    // Only the tag distinguishes the accounts of one backend from those of another.
    return try rows.contains { row in
      let stored = try row.bytes("tag")
      guard let text = try? key?.open(try row.bytes("sealed"), associatedData: stored) else { return false }
      return tag(String(decoding: text, as: UTF8.self)) == stored
    }
  }

  /// Returns the reserved accounts, soonest to expire first.
  package func all() async throws -> [Lease] {
    let now = wall().timeIntervalSince1970
    let rows = try await storage.read { transaction in
      try transaction.rows(
        """
        SELECT lease_id, tag, sealed, person_id, name, until_at FROM account_lease JOIN person USING (person_id)
        WHERE until_at > ? ORDER BY until_at, lease_id
        """, now)
    }
    return try rows.compactMap { row in
      // A row that this console's key does not open belongs to no person here.
      guard let text = try? key?.open(try row.bytes("sealed"), associatedData: try row.bytes("tag")) else { return nil }
      return Lease(
        id: try row.text("lease_id"), identifier: String(decoding: text, as: UTF8.self), personID: try row.text("person_id"),
        person: try row.text("name"), until: try row.real("until_at"))
    }
  }

  /// Releases an account; false if the person has no such reservation. Without a person, releases any person's.
  package func release(_ id: String, personID: String?) async throws -> Bool {
    try await storage.write { transaction in
      if let personID {
        return try transaction.execute("DELETE FROM account_lease WHERE lease_id = ? AND person_id = ?", id, personID) > 0
      }
      return try transaction.execute("DELETE FROM account_lease WHERE lease_id = ?", id) > 0
    }
  }

  private func tag(_ identifier: Identifier) -> [UInt8] { tag(identifier.text) }

  /// Two names that differ only by case count as one, because many backends treat them as one.
  private func tag(_ text: String) -> [UInt8] {
    HMAC.sha256(Array("account lease\n\(backendID)\n\(text.lowercased())".utf8), key: tagKey)
  }

  private static func holder(
    _ transaction: any StorageTransaction, _ tag: [UInt8]
  ) throws(StorageError) -> (personID: String, name: String, until: Double)? {
    guard
      let row = try transaction.first(
        "SELECT person_id, name, until_at FROM account_lease JOIN person USING (person_id) WHERE tag = ?", tag)
    else { return nil }
    return (try row.text("person_id"), try row.text("name"), try row.real("until_at"))
  }

  /// Names the person who reserved the account, and the remaining time.
  private static func taken(_ holder: (personID: String, name: String, until: Double), now: Double) -> PersonError {
    // A writer of the database can store any number, which `Int` may not represent.
    let seconds = max(1, min(Double(minutesLimit * 60), (holder.until - now).rounded(.up)))
    return .accountTaken(by: holder.name, until: holder.until, retryAfterSeconds: Int(seconds))
  }
}
