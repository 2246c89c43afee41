import Locking
import Support
import Testing

@testable import Storage

/// What every engine promises to the stores.
@Suite(.timeLimit(.minutes(2)))
struct StorageConformanceTests {
  private struct Refused: Error {}

  private static let table = """
    CREATE TABLE item (
      id {identity}, key TEXT NOT NULL UNIQUE, number BIGINT, share DOUBLE PRECISION, content {bytes},
      parent BIGINT REFERENCES item (id) ON DELETE CASCADE
    );
    CREATE INDEX item_by_number ON item (number);
    """
  private static let migrations = StorageMigrations([.init("1 items", script: table)])

  private func withItems(_ kind: StorageEngineKind, _ body: (any StorageEngine) async throws -> Void) async throws {
    try await kind.withEngine { engine in
      try await Self.migrations.migrate(engine)
      try await body(engine)
    }
  }

  private func add(_ key: String, _ number: StorageValue = nil, to engine: any StorageEngine) async throws {
    try await engine.write { try $0.execute("INSERT INTO item (key, number) VALUES (?, ?)", key, number) }
  }

  private func keys(_ engine: any StorageEngine) async throws -> [String] {
    try await engine.read { try $0.rows("SELECT key FROM item ORDER BY key").map { try $0.text("key") } }
  }

  @Test(arguments: StorageEngineKind.allCases) func everyValueComesBackAsItWas(kind: StorageEngineKind) async throws {
    let numbers: [Int64] = [0, 1, -1, 255, -256, .max, .min]
    let texts = ["", "a", "ä ß 漢 🦊", "quote ' \" ? $1 \\ %", String(repeating: "long ", count: 20_000)]
    let contents: [[UInt8]] = [[], [0], [0, 1, 255, 0], Array(repeating: 0x5c, count: 70_000)]
    try await withItems(kind) { engine in
      for number in numbers { try await add("number \(number)", .integer(number), to: engine) }
      for text in texts { try await add(text, to: engine) }
      for (index, content) in contents.enumerated() {
        try await engine.write {
          try $0.execute(
            "INSERT INTO item (key, share, content) VALUES (?, ?, ?)", "content \(index)", Double(index) / 3, content)
        }
      }
      let rows = try await engine.read { try $0.rows("SELECT key, number, share, content FROM item ORDER BY id") }
      #expect(try rows.prefix(numbers.count).map { try $0.value("number") } == numbers.map(StorageValue.integer))
      #expect(try rows.dropFirst(numbers.count).prefix(texts.count).map { try $0.text("key") } == texts)
      #expect(try rows.suffix(contents.count).map { try $0.bytes("content") } == contents)
      #expect(try rows.suffix(contents.count).map { try $0.value("share") } == contents.indices.map { .real(Double($0) / 3) })
      #expect(try rows[0].value("content") == .null)
      #expect(try rows[0].optionalText("key") == "number 0")
      #expect(throws: StorageError.self) { try rows[0].text("number") }
      #expect(throws: StorageError.self) { try rows[0].value("missing") }
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aQuestionMarkInAQuotedTextIsNoArgument(kind: StorageEngineKind) async throws {
    try await kind.withEngine { engine in
      let rows = try await engine.read { try $0.rows("SELECT 'a''?' AS \"name?\", CAST(? AS TEXT) AS other", "b") }
      #expect(try rows[0].text("name?") == "a'?")
      #expect(try rows[0].text("other") == "b")
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aTextWithANullCharacterIsRefused(kind: StorageEngineKind) async throws {
    try await withItems(kind) { engine in
      await #expect(throws: StorageError.mismatch("a text contains the character U+0000")) { try await add("a\0b", to: engine) }
      let left = try await keys(engine)
      #expect(left.isEmpty)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func changedRowsAreCounted(kind: StorageEngineKind) async throws {
    try await withItems(kind) { engine in
      for key in ["a", "b", "c"] { try await add(key, to: engine) }
      let counts = try await engine.write { transaction in
        [
          try transaction.execute("UPDATE item SET number = ? WHERE key < ?", 1, "c"),
          try transaction.execute("DELETE FROM item WHERE key = ?", "nobody"),
          try transaction.execute("DELETE FROM item"),
        ]
      }
      #expect(counts == [2, 0, 3])
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aTransactionThatThrowsChangesNothing(kind: StorageEngineKind) async throws {
    try await withItems(kind) { engine in
      await #expect(throws: Refused.self) {
        try await engine.write { transaction in
          try transaction.execute("INSERT INTO item (key) VALUES (?)", "a")
          throw Refused()
        }
      }
      let left = try await keys(engine)
      #expect(left.isEmpty)
      try await add("a", to: engine)
      let kept = try await keys(engine)
      #expect(kept == ["a"])
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aFailureThatIsIgnoredUndoesTheTransactionToo(kind: StorageEngineKind)
    async throws
  {
    try await withItems(kind) { engine in
      await #expect(throws: StorageError.constraint) {
        try await engine.write { transaction in
          try transaction.execute("INSERT INTO item (key) VALUES (?)", "a")
          _ = try? transaction.execute("INSERT INTO item (key) VALUES (?)", "a")
        }
      }
      let kept = try await keys(engine)
      #expect(kept.isEmpty)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func constraintsAreToldApart(kind: StorageEngineKind) async throws {
    try await withItems(kind) { engine in
      try await add("a", to: engine)
      await #expect(throws: StorageError.constraint) { try await add("a", to: engine) }
      await #expect(throws: StorageError.constraint) {
        try await engine.write { try $0.execute("INSERT INTO item (key, parent) VALUES (?, ?)", "b", 99) }
      }
      await #expect(throws: StorageError.constraint) {
        try await engine.write { try $0.execute("INSERT INTO item (key) VALUES (?)", StorageValue.null) }
      }
      await #expect(throws: StorageError.self) { try await engine.read { try $0.rows("SELECT nothing FROM nowhere") } }
      let kept = try await keys(engine)
      #expect(kept == ["a"])
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func whatDependsGoesWithIt(kind: StorageEngineKind) async throws {
    try await withItems(kind) { engine in
      let id = try await engine.write { try $0.rows("INSERT INTO item (key) VALUES (?) RETURNING id", "a")[0].integer("id") }
      try await engine.write { try $0.execute("INSERT INTO item (key, parent) VALUES (?, ?)", "b", id) }
      try await engine.write { try $0.execute("DELETE FROM item WHERE id = ?", id) }
      let left = try await keys(engine)
      #expect(left.isEmpty)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aReadChangesNothing(kind: StorageEngineKind) async throws {
    try await withItems(kind) { engine in
      await #expect(throws: StorageError.self) {
        try await engine.read { try $0.execute("INSERT INTO item (key) VALUES (?)", "a") }
      }
      let left = try await keys(engine)
      #expect(left.isEmpty)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aRowIsAddedOrReplacedInOneStatement(kind: StorageEngineKind) async throws {
    try await withItems(kind) { engine in
      for number in 1...3 {
        try await engine.write {
          try $0.execute(
            "INSERT INTO item (key, number) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET number = excluded.number", "a",
            number)
        }
      }
      #expect(try await engine.read { try $0.rows("SELECT number FROM item").map { try $0.integer("number") } } == [3])
    }
  }

  /// Each reads and then writes, so that a lost update would show.
  @Test(arguments: StorageEngineKind.allCases) func writesAtTheSameTimeLoseNothing(kind: StorageEngineKind) async throws {
    try await withItems(kind) { engine in
      try await add("counter", 0, to: engine)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            for _ in 0..<10 {
              try await engine.write { transaction in
                let number = try transaction.rows("SELECT number FROM item WHERE key = ?", "counter")[0].integer("number")
                try transaction.execute("UPDATE item SET number = ? WHERE key = ?", number + 1, "counter")
              }
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try await engine.read { try $0.rows("SELECT number FROM item")[0].integer("number") } == 40)
    }
  }

  /// As many as block every thread of Swift's pool.
  @Test(arguments: StorageEngineKind.allCases) func callersThatWaitOnTheirThreadsLoseNothing(kind: StorageEngineKind)
    async throws
  {
    try await withItems(kind) { engine in
      try await add("counter", 0, to: engine)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<16 {
          group.addTask {
            try engine.writeAndWait { transaction in
              let number = try transaction.number("SELECT number FROM item WHERE key = ?", "counter") ?? 0
              try transaction.execute("UPDATE item SET number = ? WHERE key = ?", number + 1, "counter")
            }
            _ = try engine.readAndWait { try $0.rows("SELECT key FROM item") }
          }
        }
        try await group.waitForAll()
      }
      #expect(try engine.readAndWait { try $0.number("SELECT number FROM item") } == 16)
      #expect(throws: StorageError.constraint) {
        try engine.writeAndWait { try $0.execute("INSERT INTO item (key) VALUES (?)", "counter") }
      }
      #expect(throws: Refused.self) { try engine.readAndWait { _ in throw Refused() } }
    }
  }

  /// More of both than there are connections and threads of Swift's pool.
  @Test(arguments: StorageEngineKind.allCases) func callersThatWaitLetThoseGoOnThatDoNot(kind: StorageEngineKind) async throws {
    try await withItems(kind) { engine in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<64 {
          group.addTask {
            for _ in 0..<20 {
              if number.isMultiple(of: 2) {
                _ = try engine.readAndWait { try $0.rows("SELECT key FROM item") }
              } else {
                _ = try await engine.read { try $0.rows("SELECT key FROM item") }
              }
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aWaitingCallerIsNotCancelled(kind: StorageEngineKind) async throws {
    try await withItems(kind) { engine in
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try engine.writeAndWait { try $0.execute("INSERT INTO item (key) VALUES (?)", "kept") }
      }
      try await task.value
      let kept = try await keys(engine)
      #expect(kept == ["kept"])
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func stepsAreTakenOnceInOrder(kind: StorageEngineKind) async throws {
    try await kind.withEngine { engine in
      let first = Self.migrations
      let second = StorageMigrations(
        first.steps + [.init("2 more", script: "ALTER TABLE item ADD COLUMN more TEXT;"), .init("3 nothing", script: "")])
      var seen: [[String]] = []
      seen.append(try await second.pending(engine))
      seen.append(try await first.migrate(engine))
      seen.append(try await first.migrate(engine))
      seen.append(try await second.pending(engine))
      seen.append(try await second.migrate(engine))
      seen.append(try await second.pending(engine))
      #expect(
        seen == [["1 items", "2 more", "3 nothing"], ["1 items"], [], ["2 more", "3 nothing"], ["2 more", "3 nothing"], []])
      await #expect(throws: StorageError.newerSchema(["2 more", "3 nothing"])) { _ = try await first.migrate(engine) }
      await #expect(throws: StorageError.newerSchema(["2 more", "3 nothing"])) { _ = try await first.pending(engine) }
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aStepThatFailsLeavesTheSchemaAsItWas(kind: StorageEngineKind) async throws {
    try await kind.withEngine { engine in
      let broken = StorageMigrations(
        Self.migrations.steps + [.init("2 broken", script: "CREATE TABLE other (id BIGINT); SELECT nothing;")])
      await #expect(throws: StorageError.self) { try await broken.migrate(engine) }
      let pending = try await Self.migrations.pending(engine)
      #expect(pending == ["1 items"])
      try await Self.migrations.migrate(engine)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func programsThatMigrateTogetherTakeEachStepOnce(kind: StorageEngineKind)
    async throws
  {
    try await kind.withEngine { engine in
      let taken = try await withThrowingTaskGroup(of: [String].self) { group in
        for _ in 0..<4 { group.addTask { try await Self.migrations.migrate(engine) } }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      #expect(taken == ["1 items"])
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aClosedEngineFails(kind: StorageEngineKind) async throws {
    try await withItems(kind) { engine in
      await engine.close()
      await #expect(throws: (any Error).self) { try await add("a", to: engine) }
    }
  }
}
