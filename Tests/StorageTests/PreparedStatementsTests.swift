import Support
import Testing

@testable import Storage

/// Statements that the database keeps for a connection, which nobody notices but by the time that they take.
@Suite(.timeLimit(.minutes(2)))
struct PreparedStatementsTests {
  private static let count = "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%item%'"

  private func withItems(_ body: (PostgreSQLStorage, PostgreSQLStorage) async throws -> Void) async throws {
    try await StorageEngineKind.withPostgreSQL(connections: 1) { engine, other in
      try await engine.write { try $0.run(script: "CREATE TABLE item (key TEXT); INSERT INTO item VALUES ('a')") }
      try await body(engine, other)
    }
  }

  private func keys(_ engine: PostgreSQLStorage, of key: String? = "a") async throws -> [StorageRow] {
    try await engine.read { try $0.rows("SELECT * FROM item WHERE key = ?", key) }
  }

  @Test func aStatementIsPreparedOnceForItsTypes() async throws {
    try await withItems { engine, _ in
      for _ in 0..<3 { #expect(try await keys(engine).count == 1) }
      let once = try await engine.read { try $0.number(Self.count) }
      // What asks is prepared, too.
      #expect(once == 2)
      for _ in 0..<3 { #expect(try await keys(engine, of: nil).isEmpty) }
      #expect(try await engine.read { try $0.number(Self.count) } == 3)
    }
  }

  @Test func aTableThatAnotherProgramChangedIsReadAsItIs() async throws {
    try await withItems { engine, other in
      #expect(try await keys(engine).first?.names == ["key"])
      try await other.write { try $0.run(script: "ALTER TABLE item ADD COLUMN note TEXT DEFAULT 'new'") }
      #expect(try await keys(engine).first?.text("note") == "new")
      let rest = try await engine.write { transaction in
        try transaction.execute("INSERT INTO item VALUES (?, ?)", "b", "old")
        return try transaction.rows("SELECT * FROM item WHERE key = ?", "b")
      }
      #expect(try rest.first?.text("note") == "old")
    }
  }

  @Test func statementsThatAreGoneArePreparedAgain() async throws {
    try await withItems { engine, _ in
      #expect(try await keys(engine).count == 1)
      try await engine.outsideTransaction("DISCARD ALL")
      #expect(try await keys(engine).count == 1)
    }
  }

  @Test func manyStatementsStayWithinTheLimit() async throws {
    try await withItems { engine, _ in
      let most = try await engine.read { transaction in
        try (0..<PreparedStatements.limit + 20).map { number in
          let row = try #require(try transaction.first("SELECT \(number) AS number, key FROM item WHERE key = ?", "a"))
          #expect(try row.int("number") == number)
          return try transaction.number(Self.count) ?? 0
        }.max()
      }
      #expect(try #require(most) == PreparedStatements.limit)
    }
  }

  @Test func aStatementThatFailsIsNotKept() async throws {
    try await withItems { engine, _ in
      for _ in 0..<2 {
        await #expect(throws: StorageError.statement("42P01")) {
          try await engine.read { try $0.rows("SELECT key FROM thing WHERE key = ?", "a") }
        }
      }
      try await engine.write { try $0.run(script: "CREATE TABLE thing (key TEXT); INSERT INTO thing VALUES ('a')") }
      #expect(try await engine.read { try $0.rows("SELECT key FROM thing WHERE key = ?", "a").count } == 1)
    }
  }

  /// Two stores share the connections, each with its tables in a schema of its own.
  @Test func theSameStatementReadsTheTablesOfItsSchema() async throws {
    try await withItems { engine, _ in
      let schemas = ["one", "two"].map { ($0, engine.inSchema($0)) }
      for (name, storage) in schemas {
        try await engine.write { try $0.run(script: "CREATE SCHEMA \(name)") }
        try await storage.write {
          try $0.run(script: "CREATE TABLE item (key TEXT, place TEXT); INSERT INTO item VALUES ('a', '\(name)')")
        }
      }
      for _ in 0..<3 {
        for (name, storage) in schemas { #expect(try await keys(storage).first?.text("place") == name) }
      }
    }
  }
}
