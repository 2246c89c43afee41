import Support
import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(2)))
struct PostgreSQLTransactionTests {
  /// PostgreSQL answers the commit of a failed transaction with an undo, which is no error.
  @Test func aStatementThatFailedKeepsAnOpenTransactionFromItsCommit() async throws {
    try await StorageEngineKind.withPostgreSQL(connections: 1) { engine, _ in
      try await engine.write { try $0.run(script: "CREATE TABLE item (key TEXT PRIMARY KEY)") }
      let transaction = try await engine.begin()
      try await transaction.perform { try $0.execute("INSERT INTO item VALUES (?)", "a") }
      // Two failures, of which the first tells why.
      try await transaction.perform { transaction in
        _ = try? transaction.execute("INSERT INTO item VALUES (?)", "a")
        _ = try? transaction.rows("SELECT missing FROM item")
      }
      await #expect(throws: StorageError.constraint) { try await transaction.commit() }
      #expect(try await engine.read { try $0.rows("SELECT key FROM item").isEmpty })
      // The connection is as good as new.
      let next = try await engine.begin()
      try await next.perform { try $0.execute("INSERT INTO item VALUES (?)", "b") }
      try await next.commit()
      #expect(try await engine.read { try $0.rows("SELECT key FROM item").count } == 1)
    }
  }

  /// Its connection belongs to the next transaction then.
  @Test func aTransactionThatIsOverUndoesNoOther() async throws {
    try await StorageEngineKind.withPostgreSQL(connections: 1) { engine, _ in
      try await engine.write { try $0.run(script: "CREATE TABLE item (key TEXT PRIMARY KEY)") }
      let first = try await engine.begin()
      _ = try await first.perform { try? $0.rows("SELECT missing FROM item") }
      await #expect(throws: StorageError.statement("42703")) { try await first.commit() }
      let second = try await engine.begin()
      try await second.perform { try $0.execute("INSERT INTO item VALUES (?)", "a") }
      await first.rollBack()
      await #expect(throws: StorageError.statement("25P01")) { try await first.commit() }
      try await second.commit()
      #expect(try await engine.read { try $0.rows("SELECT key FROM item").count } == 1)
    }
  }

  /// What a connection has: its process, every setting, and the locks that outlast transactions.
  private static let kept = """
    SELECT pg_backend_pid() AS process, string_agg(name || '=' || coalesce(setting, ''), ' ' ORDER BY name) AS settings,
      (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory') AS locks FROM pg_settings
    """

  private struct Refusal: Error {}

  @Test func aConnectionKeepsNothingOfTheTransactionBefore() async throws {
    try await StorageEngineKind.withPostgreSQL(connections: 1) { engine, _ in
      func state() async throws -> [StorageValue] { try await engine.read { try $0.first(Self.kept)?.values ?? [] } }
      let before = try await state()
      #expect(before.count == 3)
      let other = engine.inSchema("other")
      try await other.exclusively { try $0.run(script: "CREATE SCHEMA other; CREATE TABLE item (key TEXT)") }
      #expect(try await state() == before)
      await #expect(throws: Refusal.self) { try await other.exclusively { _ in throw Refusal() } }
      #expect(try await state() == before)
      try await other.write { try $0.execute("INSERT INTO item VALUES (?)", "a") }
      #expect(try await state() == before)
      #expect(try await other.read { try $0.rows("SELECT key FROM item").count } == 1)
      #expect(try await state() == before)
      await #expect(throws: StorageError.self) { try await other.write { try $0.rows("SELECT missing FROM item") } }
      #expect(try await state() == before)
      for isKept in [true, false] {
        let transaction = try await other.begin()
        try await transaction.perform { try $0.execute("INSERT INTO item VALUES (?)", "b") }
        if isKept { try await transaction.commit() } else { await transaction.rollBack() }
        #expect(try await state() == before)
      }
    }
  }
}
