package import FoundationEssentials
import Locking
import Server
import Storage
import Vault

/// Stores persons with their roles; the rows are signed, so that nobody becomes an owner by writing to the database.
package final class PersonStore: Sendable {
  /// A person as the list of all shows it.
  struct Record: Sendable {
    let person: Person
    /// When the person was first and last here, in seconds since 1970; the last within an hour.
    let madeAt: Double
    let seenAt: Double
  }

  private struct Cached {
    let person: Person
    let readAt: Double
    let seenAt: Double
  }

  private struct Cache {
    /// By the bytes of the names, as the database compares them.
    var persons: [[UInt8]: Cached] = [:]
    /// Grows with every change; who was read before a change is not cached after it.
    var changes: UInt64 = 0
  }

  /// How long a person counts who was read, in seconds; another console may have changed the role since.
  private static let cacheLifetime: Double = 5
  /// How often a visit is recorded, in seconds.
  private static let visitInterval: Double = 3600

  private let proxy: PersonProxy
  private let store: BrowserStore
  private let wall: @Sendable () -> Date
  private let cache = Locked(Cache())

  /// The persons whom `proxy` names, among the browsers of `store`.
  package init(proxy: PersonProxy, store: BrowserStore, wall: @escaping @Sendable () -> Date) {
    (self.proxy, self.store, self.wall) = (proxy, store, wall)
  }

  /// The sender of a request, who is stored if new; nil if the request did not come through the proxy.
  func person(of request: Request) async throws -> Person? {
    guard let name = proxy.name(of: request) else { return nil }
    let (now, bytes) = (wall().timeIntervalSince1970, Array(name.utf8))
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
      if cache.persons.count >= CredentialCache.limit { cache.persons = [:] }
      cache.persons[bytes] = Cached(person: record.person, readAt: now, seenAt: record.seenAt)
    }
    return record.person
  }

  /// Returns all people, sorted by name.
  func all() async throws -> [Record] {
    try await store.storage.read { [self] transaction in
      try store.rows.fetch(transaction, .person, where: "TRUE ORDER BY name").compactMap { try record($0, transaction) }
    }
  }

  /// The person with that id; nil if there is none.
  func person(id: String) async throws -> Person? {
    try await store.storage.read { [self] transaction in
      try store.rows.first(transaction, .person, where: "person_id = ?", id).flatMap { try record($0, transaction)?.person }
    }
  }

  /// Gives a person another role; returns false if there is no such person.
  func setRole(_ role: Person.Role, personID: String) async throws -> Bool {
    defer { forget() }
    return try await store.storage.write { [rows = store.rows] transaction in
      try rows.change(transaction, .person, set: "role", to: role.rawValue, where: "person_id = ?", personID) > 0
    }
  }

  /// Deletes a person with what is theirs, as ``BrowserStore/remove(_:_:browserID:)`` says.
  ///
  /// Their devices should have been deleted before, so that each has ended its calls and streams.
  func delete(personID: String) async throws {
    defer {
      forget()
      store.credentials.removeAll()
    }
    try await store.storage.write { [rows = store.rows] transaction in
      try BrowserStore.remove(transaction, rows, browserID: personID)
    }
    await store.removeTraces()
  }

  /// Clears the cache.
  private func forget() {
    cache.withLock { cache in
      cache.persons = [:]
      cache.changes += 1
    }
  }

  /// Whether the command line names the person as an owner, which nobody can change here.
  func isNamedOwner(_ person: Person) -> Bool { proxy.isOwner(person.name) }

  private func read(_ name: String) async throws -> Record? {
    try await store.storage.read { [self] transaction in
      try store.rows.first(transaction, .person, where: "name = ?", name).flatMap { try record($0, transaction) }
    }
  }

  /// Records a visit; stores a person who is new.
  private func visit(_ name: String, _ now: Double) async throws -> Record? {
    let id = SecureRandom.uuid()
    let (visitor, hasPruned) = try await store.storage.write { [self] transaction -> (Record?, Bool) in
      let rows = store.rows
      if let row = try rows.first(transaction, .person, where: "name = ?", name), let known = try record(row, transaction) {
        try rows.change(transaction, .browser, set: "seen_at", to: now, where: "browser_id = ?", known.person.id)
        return (Record(person: known.person, madeAt: known.madeAt, seenAt: now), false)
      }
      let hasPruned = try BrowserStore.prune(transaction, rows, now: now)
      // Only a row that no console wrote can be left.
      try transaction.execute("DELETE FROM person WHERE name = ?", name)
      try rows.insert(transaction, into: .browser, [id, now])
      try rows.insert(transaction, into: .person, [id, name, proxy.firstRole.rawValue, now])
      return (Record(person: named(id, name, proxy.firstRole), madeAt: now, seenAt: now), hasPruned)
    }
    if hasPruned {
      store.credentials.removeAll()
      forget()
    }
    return visitor
  }

  private func record(_ row: StorageRow, _ transaction: any StorageTransaction) throws -> Record? {
    let (id, name) = (try row.text("person_id"), try row.text("name"))
    guard let browser = try store.rows.first(transaction, .browser, where: "browser_id = ?", id),
      let role = Person.Role(rawValue: try row.text("role"))
    else { return nil }
    return Record(person: named(id, name, role), madeAt: try row.real("made_at"), seenAt: try browser.real("seen_at"))
  }

  private func named(_ id: String, _ name: String, _ role: Person.Role) -> Person {
    Person(id: id, name: name, role: proxy.isOwner(name) ? .owner : role)
  }
}
