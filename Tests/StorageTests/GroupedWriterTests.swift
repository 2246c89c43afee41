import Dispatch
import GRDB
import Locking
import Support
import Testing

@testable import Storage

/// Changes that wait together share a transaction, and each of them is as alone as before.
struct GroupedWriterTests {
  private let database: DatabaseQueue
  private let writer: GroupedWriter
  private let commits = Commits()

  private struct Refusal: Error {}

  init() throws {
    database = try DatabaseQueue()
    try database.write { try $0.execute(sql: "CREATE TABLE item (name TEXT PRIMARY KEY) STRICT") }
    writer = GroupedWriter(database)
    database.add(transactionObserver: commits, extent: .databaseLifetime)
  }

  /// Makes the changes while the database is busy, so that they all wait; returns what each gave.
  private func together<Value: Sendable>(
    _ bodies: [@Sendable (Database) throws -> Value]
  ) async -> [Result<Value, any Error>] {
    let isHeld = DispatchSemaphore(value: 0)
    database.asyncWriteWithoutTransaction { _ in isHeld.wait() }
    let tasks = bodies.map { body in
      Task.detached { [writer] () -> Result<Value, any Error> in
        do { return .success(try await writer.write(body)) } catch { return .failure(error) }
      }
    }
    await eventually { writer.waitingCount == bodies.count }
    isHeld.signal()
    var results: [Result<Value, any Error>] = []
    for task in tasks { results.append(await task.value) }
    return results
  }

  private func names() throws -> Set<String> { try database.read { try Set(String.fetchAll($0, sql: "SELECT name FROM item")) } }

  private static func insert(_ name: String) -> @Sendable (Database) throws -> Void {
    { try $0.execute(sql: "INSERT INTO item (name) VALUES (?)", arguments: [name]) }
  }

  @Test func changesThatWaitAtTheSameTimeShareOneCommit() async throws {
    let results = await together((1...20).map { Self.insert("\($0)") })
    #expect(results.allSatisfy { (try? $0.get()) != nil })
    #expect(try names().count == 20)
    #expect(commits.count == 1)
  }

  @Test func aChangeIsCommittedWhenItsCallerContinues() async throws {
    for name in ["a", "b", "c"] {
      try await writer.write(Self.insert(name))
      #expect(try names().contains(name))
    }
    try writer.writeAndWait(Self.insert("d"))
    #expect(try names().contains("d"))
    #expect(commits.count == 4)
  }

  @Test func aChangeThatThrowsIsUndoneAndTheOthersAreNot() async throws {
    let refused: @Sendable (Database) throws -> Void = { db in
      try Self.insert("undone")(db)
      throw Refusal()
    }
    let results = await together([Self.insert("a"), refused, Self.insert("b")])
    #expect(throws: Never.self) { try results[0].get() }
    #expect(throws: Refusal.self) { try results[1].get() }
    #expect(throws: Never.self) { try results[2].get() }
    #expect(try names() == ["a", "b"])
    #expect(commits.count == 1)
  }

  @Test func aChangeAloneThatThrowsIsUndone() async throws {
    await #expect(throws: Refusal.self) {
      try await writer.write { db in
        try Self.insert("undone")(db)
        throw Refusal()
      }
    }
    #expect(throws: Refusal.self) {
      try writer.writeAndWait { db in
        try Self.insert("undone")(db)
        throw Refusal()
      }
    }
    #expect(try names().isEmpty)
  }

  @Test func ifTheCommitFailsSoDoesEveryChangeOfTheGroup() async throws {
    try await database.write {
      try $0.execute(
        sql: "CREATE TABLE child (name TEXT REFERENCES item (name) DEFERRABLE INITIALLY DEFERRED) STRICT")
    }
    let orphan: @Sendable (Database) throws -> Void = { try $0.execute(sql: "INSERT INTO child (name) VALUES ('missing')") }
    let results = await together([Self.insert("a"), orphan, Self.insert("b")])
    #expect(results.count == 3)
    for result in results { #expect(throws: DatabaseError.self) { try result.get() } }
    #expect(try names().isEmpty)
    try await writer.write(Self.insert("later"))
    #expect(try names() == ["later"])
  }

  @Test func moreChangesThanTheLimitAreMadeInMoreThanOneCommitNoneIsLost() async throws {
    let count = GroupedWriter.limit * 2 + 1
    let results = await together((0..<count).map { Self.insert("\($0)") })
    #expect(results.allSatisfy { (try? $0.get()) != nil })
    #expect(try names().count == count)
    #expect(commits.count == 3)
  }

  @Test func aCancelledTaskChangesNothing() async throws {
    let task = Task { [writer] in
      await untilCancelled()
      try await writer.write(Self.insert("a"))
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try names().isEmpty)
  }
}

/// Counts commits.
private final class Commits: TransactionObserver, Sendable {
  private let number = Locked(0)
  var count: Int { number.withLock { $0 } }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
  func databaseDidChange(with event: DatabaseEvent) {}
  func databaseDidCommit(_ db: Database) { number.withLock { $0 += 1 } }
  func databaseDidRollback(_ db: Database) {}
}
