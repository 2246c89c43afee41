package import Domain
package import FoundationEssentials
import Locking
package import Storage
import Vault

/// Stores people with their roles; the rows are signed, so that writing to the database makes no person an owner.
package final class PersonStore: Sendable {
  /// A person in the list of all people.
  package struct Record: Sendable {
    package let person: Person
    /// When the person first and last visited, in seconds since 1970; the last within an hour.
    package let madeAt: Double
    package let seenAt: Double
  }

  private struct Cached {
    let person: Person
    let readAt: Double
    let seenAt: Double
  }

  private struct Cache {
    /// By the bytes of the names, as the database compares them.
    var persons: [[UInt8]: Cached] = [:]
    /// Grows with every change; a person who was read before a change is not cached after it.
    var changes: UInt64 = 0
  }

  /// How long a person stays cached, in seconds; another console may change the role meanwhile.
  private static let cacheLifetime: Double = 5
  /// How often a visit is recorded, in seconds.
  private static let visitInterval: Double = 3600
  /// How many people are cached; one more clears the cache.
  private static let cacheLimit = 10_000

  private let storage: any StorageEngine
  private let rows: AccessRows
  private let pruneBrowsers: @Sendable (any StorageTransaction, _ now: Double) throws -> Bool
  private let forgetBrowsers: @Sendable () -> Void
  private let deleteBrowser: @Sendable (_ id: String) async throws -> Void
  private let isOwner: @Sendable (String) -> Bool
  private let firstRole: Person.Role
  private let wall: @Sendable () -> Date
  private let cache = Locked(Cache())

  /// The people of a database; those whose names `isOwner` accepts are owners, and a new person has the first role.
  ///
  /// People are browsers. `pruneBrowsers` deletes those that were not seen for too long and returns whether there were any;
  /// `forgetBrowsers` evicts them from the cache, and `deleteBrowser` deletes one with all its data.
  package init(
    storage: any StorageEngine, rows: AccessRows, isOwner: @escaping @Sendable (String) -> Bool, firstRole: Person.Role,
    wall: @escaping @Sendable () -> Date,
    pruneBrowsers: @escaping @Sendable (any StorageTransaction, _ now: Double) throws -> Bool,
    forgetBrowsers: @escaping @Sendable () -> Void, deleteBrowser: @escaping @Sendable (_ id: String) async throws -> Void
  ) {
    self.storage = storage
    self.rows = rows
    self.isOwner = isOwner
    self.firstRole = firstRole
    self.wall = wall
    self.pruneBrowsers = pruneBrowsers
    self.forgetBrowsers = forgetBrowsers
    self.deleteBrowser = deleteBrowser
  }

  /// The person with a name, who is stored if new.
  package func person(named name: String) async throws -> Person {
    let now = wall().timeIntervalSince1970
    let bytes = Array(name.utf8)
    let (known, changes) = cache.withLock { ($0.persons[bytes], $0.changes) }
    if let known, (0...Self.cacheLifetime).contains(now - known.readAt), known.seenAt >= now - Self.visitInterval {
      return known.person
    }
    var record = try await read(name)
    if record == nil || record.map({ $0.seenAt < now - Self.visitInterval }) == true {
      record = try await visit(name, now)
    }
    guard let record else { throw StorageError.conflict }
    cache.withLock { cache in
      guard cache.changes == changes else { return }
      if cache.persons.count >= Self.cacheLimit { cache.persons = [:] }
      cache.persons[bytes] = Cached(person: record.person, readAt: now, seenAt: record.seenAt)
    }
    return record.person
  }

  /// Returns all people, sorted by name.
  package func all() async throws -> [Record] {
    try await storage.read { [self] transaction in
      try rows.fetch(transaction, .person, where: "TRUE ORDER BY name").compactMap { try record($0, transaction) }
    }
  }

  /// The person with that id; nil if there is none.
  package func person(id: String) async throws -> Person? {
    try await storage.read { [self] transaction in
      try rows.first(transaction, .person, where: "person_id = ?", id).flatMap { try record($0, transaction)?.person }
    }
  }

  /// Gives a person another role; returns false if there is no such person.
  package func setRole(_ role: Person.Role, personID: String) async throws -> Bool {
    defer { forget() }
    return try await storage.write { [rows] transaction in
      try rows.change(transaction, .person, set: "role", to: role.rawValue, where: "person_id = ?", personID) > 0
    }
  }

  /// Deletes a person with their data.
  ///
  /// Their devices should have been deleted before, so that each has ended its calls and streams.
  package func delete(personID: String) async throws {
    defer { forget() }
    try await deleteBrowser(personID)
  }

  /// Clears the cache.
  private func forget() {
    cache.withLock { cache in
      cache.persons = [:]
      cache.changes += 1
    }
  }

  /// Whether the command line names the person as an owner, which a role cannot change.
  package func isNamedOwner(_ person: Person) -> Bool { isOwner(person.name) }

  private func read(_ name: String) async throws -> Record? {
    try await storage.read { [self] transaction in
      try rows.first(transaction, .person, where: "name = ?", name).flatMap { try record($0, transaction) }
    }
  }

  /// Records a visit; stores a person who is new.
  private func visit(_ name: String, _ now: Double) async throws -> Record? {
    let id = SecureRandom.uuid()
    let (visitor, hasPruned) = try await storage.write { [self] transaction -> (Record?, Bool) in
      if let row = try rows.first(transaction, .person, where: "name = ?", name), let known = try record(row, transaction) {
        try rows.change(transaction, .browser, set: "seen_at", to: now, where: "browser_id = ?", known.person.id)
        return (Record(person: known.person, madeAt: known.madeAt, seenAt: now), false)
      }
      let hasPruned = try pruneBrowsers(transaction, now)
      // Any remaining row was not written by a console.
      try transaction.execute("DELETE FROM person WHERE name = ?", name)
      try rows.insert(transaction, into: .browser, [id, now])
      try rows.insert(transaction, into: .person, [id, name, firstRole.rawValue, now])
      return (Record(person: named(id, name, firstRole), madeAt: now, seenAt: now), hasPruned)
    }
    if hasPruned {
      forgetBrowsers()
      forget()
    }
    return visitor
  }

  private func record(_ row: StorageRow, _ transaction: any StorageTransaction) throws -> Record? {
    let id = try row.text("person_id")
    let name = try row.text("name")
    guard let browser = try rows.first(transaction, .browser, where: "browser_id = ?", id),
      let role = Person.Role(rawValue: try row.text("role"))
    else { return nil }
    return Record(person: named(id, name, role), madeAt: try row.real("made_at"), seenAt: try browser.real("seen_at"))
  }

  private func named(_ id: String, _ name: String, _ role: Person.Role) -> Person {
    Person(id: id, name: name, role: isOwner(name) ? .owner : role)
  }
}
