import Locking
import Support
import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(2)))
struct PostgreSQLStorageTests {
  /// Ends every other connection to the database, as an administrator or a lost network would.
  private static let endOthers =
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"

  @Test func aConnectionThatWasLostUnusedIsOpenedAgain() async throws {
    try await StorageEngineKind.withPostgreSQL { engine, other in
      try await engine.write { try $0.run(script: "CREATE TABLE item (key TEXT PRIMARY KEY)") }
      for number in 0..<5 {
        _ = try await other.read { try $0.rows(Self.endOthers) }
        try await engine.write { try $0.execute("INSERT INTO item VALUES (?)", "\(number)") }
      }
      #expect(try await engine.read { try $0.rows("SELECT key FROM item").count } == 5)
    }
  }

  /// After a restart of the database, all unused connections are lost at once.
  @Test func connectionsThatWereLostUnusedAreAllOpenedAgain() async throws {
    try await StorageEngineKind.withPostgreSQL { engine, other in
      try await engine.write { try $0.run(script: "CREATE TABLE item (key TEXT PRIMARY KEY)") }
      func loseAll() async throws {
        var held: [OpenTransaction] = []
        for _ in 0..<8 { held.append(try await engine.begin()) }
        for transaction in held { await transaction.rollBack() }
        _ = try await other.read { try $0.rows(Self.endOthers) }
      }
      try await loseAll()
      try await engine.write { try $0.execute("INSERT INTO item VALUES (?)", "a") }
      try await loseAll()
      let count = try await engine.read { try $0.rows("SELECT key FROM item").count }
      #expect(count == 1)
      try await loseAll()
      try await engine.begin().rollBack()
    }
  }

  @Test(arguments: [
    ("08P01", StorageError.statement("08P01")), ("08006", .unreachable("the connection to the database was lost")),
    ("53100", .full), ("53200", .statement("53200")), ("53300", .unreachable("the database has no room for another connection")),
    ("57P01", .unreachable("the connection to the database was lost")), ("57014", .statement("57014")), ("23505", .constraint),
    ("40001", .conflict), ("42P01", .statement("42P01")),
  ])
  func statesAreToldApart(state: String, error: StorageError) { #expect(PostgreSQLConnection.error(state) == error) }

  @Test func aConnectionThatIsLostWithinATransactionChangesNothing() async throws {
    try await StorageEngineKind.withPostgreSQL { engine, other in
      try await engine.write { try $0.run(script: "CREATE TABLE item (key TEXT)") }
      let transaction = try await engine.begin()
      try await transaction.perform { try $0.execute("INSERT INTO item VALUES (?)", "a") }
      _ = try await other.read { try $0.rows(Self.endOthers) }
      await #expect(throws: StorageError.self) {
        try await transaction.perform { try $0.execute("INSERT INTO item VALUES (?)", "b") }
      }
      await transaction.rollBack()
      #expect(try await engine.read { try $0.rows("SELECT key FROM item").isEmpty })
    }
  }

  @Test func aCommitWithoutItsConnectionIsInDoubt() async throws {
    try await StorageEngineKind.withPostgreSQL { engine, other in
      let transaction = try await engine.begin()
      try await transaction.perform { try $0.run(script: "CREATE TABLE item (key TEXT)") }
      _ = try await other.read { try $0.rows(Self.endOthers) }
      await #expect(throws: StorageError.inDoubt) { try await transaction.commit() }
    }
  }

  @Test func aDatabaseThatIsNotThereIsToldInWords() async throws {
    let address = try PostgreSQLAddress("postgres://nobody@127.0.0.1:1/nothing")
    let engine = try PostgreSQLStorage(address, password: "not-to-be-seen")
    do {
      _ = try await engine.read { try $0.rows("SELECT 1 AS one") }
      Issue.record("it was read")
    } catch StorageError.unreachable(let reason) {
      #expect(reason.hasPrefix("127.0.0.1:1/nothing: ") && !reason.contains("not-to-be-seen"))
    }
  }

  @Test func moreCallersThanConnectionsTakeTurns() async throws {
    try await StorageEngineKind.withPostgreSQL(connections: 2) { engine, _ in
      let most = try await withThrowingTaskGroup(of: Int64.self) { group in
        for _ in 0..<24 {
          group.addTask {
            try await engine.read {
              try $0.rows(
                "SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database()")[0].integer("count")
            }
          }
        }
        return try await group.reduce(0, max)
      }
      #expect((1...2).contains(most))
    }
  }

  @Test func aCallerThatWaitsIsToldOfTheClose() async throws {
    try await StorageEngineKind.withPostgreSQL(connections: 1) { engine, _ in
      let transaction = try await engine.begin()
      let waiting = Task { try await engine.read { try $0.rows("SELECT 1 AS one").count } }
      await engine.close()
      await #expect(throws: StorageError.self) { try await waiting.value }
      await transaction.rollBack()
    }
  }

  @Test func aCallerThatIsCancelledWaitsNoLonger() async throws {
    try await StorageEngineKind.withPostgreSQL(connections: 1) { engine, _ in
      let transaction = try await engine.begin()
      let waiting = Task { try await engine.read { try $0.rows("SELECT 1 AS one").count } }
      await eventually { engine.waitingCount > 0 }
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
      #expect(engine.waitingCount == 0)
      let late = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        await #expect(throws: CancellationError.self) { try await engine.begin() }
      }
      await late.value
      // Those that wait on have not lost their turn.
      let next = Task { try await engine.read { try $0.rows("SELECT 1 AS one").count } }
      await eventually { engine.waitingCount > 0 }
      await transaction.rollBack()
      #expect(try await next.value == 1)
    }
  }

  @Test func aHeldRowIsSkippedUntilItsHolderIsGone() async throws {
    try await StorageEngineKind.withPostgreSQL { engine, other in
      try await engine.write { try $0.run(script: "CREATE TABLE item (key TEXT); INSERT INTO item VALUES ('a'), ('b')") }
      let next = "SELECT key FROM item ORDER BY key LIMIT 1 FOR UPDATE SKIP LOCKED"
      var first: OpenTransaction? = try await engine.begin()
      #expect(try await first?.perform { try $0.rows(next).first?.text("key") } == "a")
      let second = try await other.begin()
      #expect(try await second.perform { try $0.rows(next).first?.text("key") } == "b")
      first = nil
      // The database frees the row once it notices that the connection is closed.
      let third = try await other.begin()
      #expect(
        try await third.perform { try $0.rows("SELECT key FROM item WHERE key = 'a' FOR UPDATE").first?.text("key") } == "a")
      await second.rollBack()
      await third.rollBack()
    }
  }

  @Test func aLibraryThatIsMissingIsNotLoaded() {
    #expect((try? PostgreSQLLibrary(name: "libpq-missing.so.5")) == nil)
    #expect((try? PostgreSQLLibrary(name: "libc.so.6")) == nil)
  }
}
