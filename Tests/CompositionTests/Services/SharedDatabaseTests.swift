import Logging
import Storage
import Support
import Testing
import Vault

@testable import Composition

/// The database that consoles share, as a console finds it at its start.
@Suite(.timeLimit(.minutes(1))) struct SharedDatabaseTests {
  @Test func whatIsLeftOfDevicesAndImportsGoesAtTheStart() async throws {
    try await StorageEngineKind.withPostgreSQL { engine, _ in
      let storage = engine.inSchema(SharedDatabase.schema)
      let key = SealingKey.random()
      var logger = Logger(label: "test")
      logger.logLevel = .critical
      _ = try await SharedDatabase.open(storage, key: key, old: nil, logger: logger)
      try await storage.write { transaction in
        try transaction.execute("INSERT INTO evidence_device (device_id, backend_id) VALUES ('gone', 'b')")
        // The year 2025, and the year 2286: other consoles may be importing the younger one.
        for (id, begun) in [("old", 1_760_000_000_000), ("new", 9_999_999_999_999)] as [(String, Int64)] {
          try transaction.execute(
            "INSERT INTO recording (id, created_at, about, timeline, faults) VALUES (?, ?, '', '', '')", id, begun)
        }
      }
      _ = try await SharedDatabase.open(storage, key: key, old: nil, logger: logger)
      let left = try await storage.read { transaction in
        try transaction.rows("SELECT id FROM recording UNION ALL SELECT device_id FROM evidence_device").map { try $0.text("id") }
      }
      #expect(left == ["new"])
    }
  }
}
