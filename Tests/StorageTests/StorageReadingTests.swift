import Foundation
import GRDB
import Support
import Testing

@testable import Storage

/// How rows are read, and which schema they are in.
@Suite(.timeLimit(.minutes(2)))
struct StorageReadingTests {
  private struct StopReading: Error {}

  private static let migrations = StorageMigrations([
    .init("1 items", script: "CREATE TABLE item (id {integer} PRIMARY KEY, share {real}, name TEXT, content {bytes}) {strict};")
  ])

  private func withItems(
    _ kind: StorageEngineKind, count: Int, _ body: (any StorageEngine) async throws -> Void
  ) async throws {
    try await kind.withEngine { engine in
      try await Self.migrations.migrate(engine)
      try await engine.write { transaction in
        for id in 0..<count { try transaction.execute("INSERT INTO item (id) VALUES (?)", id) }
      }
      try await body(engine)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func eachRowComesOnceInOrder(kind: StorageEngineKind) async throws {
    try await withItems(kind, count: 1001) { engine in
      let found = try await engine.read { transaction in
        var found: [Int] = []
        try transaction.each("SELECT id FROM item WHERE id >= ? ORDER BY id", 1) { found.append(try $0.int("id")) }
        // A second one in the same transaction.
        try transaction.each("SELECT id FROM item WHERE id < ? ORDER BY id", 1) { found.append(try $0.int("id")) }
        return found
      }
      #expect(found == Array(1...1000) + [0])
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aBodyThatThrowsGetsNoFurtherRow(kind: StorageEngineKind) async throws {
    try await withItems(kind, count: 500) { engine in
      let seen = try await engine.write { transaction in
        var seen = 0
        do {
          try transaction.each("SELECT id FROM item ORDER BY id") { _ in
            seen += 1
            if seen == 3 { throw StopReading() }
          }
        } catch is StopReading {}
        try transaction.execute("DELETE FROM item WHERE id > ?", 0)
        try transaction.each("SELECT id FROM item") { _ in seen += 100 }
        return seen
      }
      #expect(seen == 103)
    }
  }

  @Test func aNumberThatNoColumnCanHoldIsRefused() throws {
    func row(_ value: StorageValue) -> StorageRow { StorageRow(names: ["n"], values: [value]) }
    for number in [Int64.max, .min, (1 << 53) + 1] {
      #expect(throws: StorageError.mismatch("n is out of range")) { try row(.integer(number)).integer("n") }
    }
    #expect(throws: StorageError.mismatch("n is no number")) { try row(.real(.nan)).real("n") }
    for number in [Double.infinity, -.infinity, 1e300] { #expect(abs(try row(.real(number)).real("n")) == 1e12) }
    #expect(throws: StorageError.mismatch("n is out of range")) { try row(.integer(1 << 44)).int("n") }
    // The largest number that JSON keeps exact, which a row of a recording may have.
    #expect(try row(.integer(1 << 53)).integer("n") == 1 << 53)
    #expect(try row(.real(-2.5)).real("n") == -2.5)
  }

  @Test(arguments: StorageEngineKind.allCases) func eachOfAWrongStatementFails(kind: StorageEngineKind) async throws {
    try await withItems(kind, count: 1) { engine in
      await #expect(throws: StorageError.self) {
        try await engine.read { try $0.each("SELECT nothing FROM item") { _ in } }
      }
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func valuesOfEveryTypeAreReadByName(kind: StorageEngineKind) async throws {
    try await withItems(kind, count: 0) { engine in
      let some: Double? = 1.5
      let none: String? = nil
      try await engine.write { transaction in
        try transaction.execute("INSERT INTO item (id, share, name, content) VALUES (?, ?, ?, ?)", true, some, none, [UInt8]())
      }
      let row = try #require(try await engine.read { try $0.first("SELECT id, share, name, content FROM item") })
      #expect(try row.flag("id"))
      #expect(try row.int("id") == 1)
      #expect(try row.optionalInteger("id") == 1)
      #expect(try row.real("share") == 1.5)
      #expect(try row.real("id") == 1)
      #expect(try row.optionalReal("share") == 1.5)
      #expect(try row.optionalText("name") == nil)
      #expect(try row.optionalBytes("content") == [])
      #expect(try row.optionalInt("name") == nil)
      #expect(throws: StorageError.self) { try row.real("name") }
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aNumberIsTheFirstColumnOfTheFirstRow(kind: StorageEngineKind) async throws {
    try await withItems(kind, count: 3) { engine in
      let numbers = try await engine.read { transaction in
        [
          try transaction.number("SELECT count(*) FROM item"),
          try transaction.number("SELECT id, share FROM item WHERE id = ?", 2),
          try transaction.number("SELECT max(id) FROM item WHERE id > ?", 9),
          try transaction.number("SELECT id FROM item WHERE id > ?", 9),
        ]
      }
      #expect(numbers == [3, 2, nil, nil])
    }
  }

  // MARK: Schemas

  @Test func schemasOfADatabaseKnowNothingOfEachOther() async throws {
    try await StorageEngineKind.withPostgreSQL { engine, other in
      let one = engine.inSchema("one")
      let two = other.inSchema("two")
      var taken = try await Self.migrations.migrate(one)
      #expect(taken == ["1 items"])
      try await one.write { try $0.execute("INSERT INTO item (id) VALUES (?)", 1) }
      taken = try await Self.migrations.pending(two)
      #expect(taken == ["1 items"])
      try await Self.migrations.migrate(two)
      taken = try await Self.migrations.migrate(two)
      #expect(taken.isEmpty)
      #expect(try await two.read { try $0.number("SELECT count(*) FROM item") } == 0)
      #expect(try await one.read { try $0.number("SELECT count(*) FROM item") } == 1)
      // The connections are shared, and keep no schema.
      await #expect(throws: StorageError.self) { try await engine.read { try $0.rows("SELECT id FROM item") } }
    }
  }

  // MARK: SQLite's files

  /// A file of a version that kept its steps in GRDB's table.
  private func earlierFile(_ folder: TemporaryFolder, steps: [String]) throws -> String {
    let path = folder.file("earlier.sqlite")
    let database = try DatabaseQueue(path: path)
    var migrator = DatabaseMigrator()
    for step in steps { migrator.registerMigration(step) { try $0.execute(sql: "CREATE TABLE \"\(step)\" (id INTEGER)") } }
    try migrator.migrate(database)
    try database.close()
    return path
  }

  @Test func aFileOfAnEarlierVersionGoesOnWhereItWas() async throws {
    let folder = try TemporaryFolder()
    let engine = try SQLiteStorage(path: try earlierFile(folder, steps: ["1 items", "2 others"]))
    let steps = StorageMigrations(
      ["1 items", "2 others", "3 more"].map { .init($0, script: "CREATE TABLE \"\($0)\" (id {integer});") })
    var taken = try await steps.pending(engine)
    #expect(taken == ["3 more"])
    taken = try await steps.migrate(engine)
    #expect(taken == ["3 more"])
    taken = try await steps.migrate(engine)
    #expect(taken.isEmpty)
    await engine.close()
    // The earlier version refuses the file from now on.
    let database = try DatabaseQueue(path: folder.file("earlier.sqlite"))
    var migrator = DatabaseMigrator()
    for step in ["1 items", "2 others"] { migrator.registerMigration(step) { _ in } }
    let isRefused = try await database.read { [migrator] in try migrator.hasBeenSuperseded($0) }
    #expect(isRefused)
  }

  @Test func aFileOfAnUnknownVersionIsRefused() async throws {
    let folder = try TemporaryFolder()
    let engine = try SQLiteStorage(path: try earlierFile(folder, steps: ["1 items", "9 unknown"]))
    await #expect(throws: StorageError.newerSchema(["9 unknown"])) { try await Self.migrations.migrate(engine) }
  }

  @Test(arguments: [0, 2]) func aFileIsReadAndWrittenWithAndWithoutReaders(readers: Int) async throws {
    let folder = try TemporaryFolder()
    var options = SQLiteStorage.Options()
    (options.readers, options.overwritesDeleted) = (readers, true)
    let engine = try SQLiteStorage(path: folder.file("store.sqlite"), options)
    try await Self.migrations.migrate(engine)
    try await engine.write { try $0.execute("INSERT INTO item (id, name) VALUES (?, ?)", 1, "overwritten") }
    try await engine.write { try $0.execute("UPDATE item SET name = ?", "other") }
    try await engine.purge()
    #expect(try await engine.read { try $0.first("SELECT name FROM item")?.text("name") } == "other")
    await #expect(throws: StorageError.self) { try await engine.read { try $0.execute("DELETE FROM item") } }
    await engine.close()
    let content = try Data(contentsOf: URL(fileURLWithPath: folder.file("store.sqlite")))
    #expect(content.range(of: Data("other".utf8)) != nil)
    #expect(content.range(of: Data("overwritten".utf8)) == nil)
  }

  @Test func aStorageInMemoryKeepsItsRowsWhileItIsOpen() async throws {
    let engine = try SQLiteStorage(path: nil)
    try await Self.migrations.migrate(engine)
    try await engine.write { try $0.execute("INSERT INTO item (id) VALUES (?)", 1) }
    await #expect(throws: StorageError.self) { try await engine.read { try $0.run(script: "DELETE FROM item") } }
    #expect(try await engine.read { try $0.number("SELECT count(*) FROM item") } == 1)
  }
}
