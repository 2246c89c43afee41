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

  /// As after a restart of the database.
  @Test func manyLostConnectionsFailNoCall() async throws {
    try await StorageEngineKind.withPostgreSQL { engine, other in
      for _ in 0..<3 {
        // As many connections as there may be, all of them idle then.
        try await withThrowingTaskGroup(of: Void.self) { group in
          for _ in 0..<16 { group.addTask { _ = try await engine.read { try $0.rows("SELECT pg_sleep(?)", 0.05) } } }
          try await group.waitForAll()
        }
        _ = try await other.read { try $0.rows(Self.endOthers) }
        #expect(try await engine.read { try $0.number("SELECT 1") } == 1)
      }
    }
  }

  @Test func anOpenTransactionWithASwallowedFailureIsNotCommitted() async throws {
    try await StorageEngineKind.withPostgreSQL { engine, _ in
      try await engine.write { try $0.run(script: "CREATE TABLE item (key TEXT PRIMARY KEY)") }
      let transaction = try await engine.begin()
      try await transaction.perform {
        try $0.execute("INSERT INTO item VALUES (?)", "a")
        _ = try? $0.execute("INSERT INTO item VALUES (?)", "a")
      }
      await #expect(throws: StorageError.constraint) { try await transaction.commit() }
      #expect(try await engine.read { try $0.number("SELECT count(*) FROM item") } == 0)
      // The connection is as good as new.
      let next = try await engine.begin()
      try await next.perform { try $0.execute("INSERT INTO item VALUES (?)", "b") }
      try await next.commit()
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

  @Test(arguments: [
    ("23505", StorageError.constraint), ("40001", .conflict), ("40P01", .conflict), ("53100", .full),
    ("57P01", .unreachable("the connection to the database was lost")), ("42P01", .statement("42P01")),
  ]) func statesAreToldApart(state: String, expected: StorageError) {
    #expect(PostgreSQLConnection.error(state) == expected)
  }

  @Test func aLibraryThatIsMissingIsNotLoaded() {
    #expect((try? PostgreSQLLibrary(name: "libpq-missing.so.5")) == nil)
    #expect((try? PostgreSQLLibrary(name: "libc.so.6")) == nil)
  }
}
