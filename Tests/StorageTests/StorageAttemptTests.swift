import Storage
import Support
import Testing

/// A part of a transaction that is undone alone.
@Suite(.timeLimit(.minutes(2)))
struct StorageAttemptTests {
  private struct Refused: Error {}

  private func keys(_ engine: any StorageEngine) async throws -> [String] {
    try await engine.read { try $0.rows("SELECT key FROM item ORDER BY key").map { try $0.text("key") } }
  }

  @Test(arguments: StorageEngineKind.allCases) func oneThatThrowsIsUndoneWithoutTheRest(kind: StorageEngineKind) async throws {
    try await kind.withEngine("CREATE TABLE item (key TEXT PRIMARY KEY) {by key}") { engine in
      try await engine.write { transaction in
        try transaction.execute("INSERT INTO item (key) VALUES ('before')")
        do {
          try transaction.attempt {
            try transaction.execute("INSERT INTO item (key) VALUES ('undone')")
            throw Refused()
          }
        } catch is Refused {}
        try transaction.attempt { try transaction.execute("INSERT INTO item (key) VALUES ('made')") }
      }
      let kept = try await keys(engine)
      #expect(kept == ["before", "made"])
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aStatementThatFailsEndsTheTransaction(kind: StorageEngineKind) async throws {
    try await kind.withEngine("CREATE TABLE item (key TEXT PRIMARY KEY) {strict by key}") { engine in
      try await engine.write { try $0.execute("INSERT INTO item (key) VALUES ('made')") }
      let error = await #expect(throws: StorageError.self) {
        try await engine.write { transaction in
          try transaction.execute("INSERT INTO item (key) VALUES ('lost')")
          _ = try? transaction.attempt { try transaction.execute("INSERT INTO item (key) VALUES ('made')") }
        }
      }
      #expect(error == .constraint)
      let kept = try await keys(engine)
      #expect(kept == ["made"])
    }
  }
}
