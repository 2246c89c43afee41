import GRDB
import RPC
import Support
import Testing

@testable import Backend

/// Files of versions that used GRDB's own migrations go on.
@Suite(.timeLimit(.minutes(1))) struct EarlierFileTests {
  /// Makes the file what an earlier version would have left: with GRDB's table of steps, and values in types of their own.
  private func makeEarlier(_ path: String) async throws {
    try await DatabaseQueue(path: path).write { db in
      try db.execute(
        sql: """
          CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
          INSERT INTO grdb_migrations SELECT name FROM schema_migration;
          DROP TABLE schema_migration;
          UPDATE stored_value SET value = CAST(value AS TEXT) WHERE name = 'data_id';
          UPDATE stored_value SET value = CAST(CAST(value AS TEXT) AS INTEGER) WHERE name = 'clock_offset';
          DELETE FROM stored_value WHERE name = 'clock_revision';
          """)
      let types = try String.fetchAll(db, sql: "SELECT typeof(value) FROM stored_value ORDER BY name")
      #expect(types == ["integer", "blob", "text"])
      let steps = try String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations ORDER BY identifier")
      #expect(steps == ["accounts, sessions and login", "clients of sends", "cues, idempotency and deletion", "inbox"])
    }
  }

  @Test func itsAccountsSessionsCodesAndClockStay() async throws {
    let folder = try TemporaryFolder()
    let time = DrivenTime()
    let path = folder.file("backend.sqlite")
    let before = try await BackendProbe(time: time, database: path)
    let tokens = try await before.signIn("kept@example.com")
    let message = try await before.ask(link: false)
    try await before.backend.clock.advance(seconds: 30)
    try await makeEarlier(path)
    let after = try await BackendProbe(time: time, database: path)
    #expect(after.backend.dataID == before.backend.dataID && after.backend.clock.offset == .seconds(30))
    #expect(try await after.me(tokens.accessToken).status == 200)
    #expect(try await after.redeem(code: try #require(message.code)).status == 200)
    for offset in [31, 32] {
      try await after.backend.clock.advance(seconds: 1)
      #expect(after.backend.clock.offset == .seconds(offset))
    }
    let again = try await BackendProbe(time: time, database: path)
    #expect(again.backend.clock.offset == .seconds(32))
    #expect(try await again.refresh(tokens.refreshToken).status == 200)
  }

  @Test func aFileOfALaterVersionIsRefused() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("backend.sqlite")
    _ = try await BackendProbe(database: path)
    try await DatabaseQueue(path: path).write { db in
      try db.execute(sql: "INSERT INTO schema_migration VALUES ('a step of a later version')")
    }
    await #expect(throws: BackendStartError.self) { try await BackendProbe(database: path) }
  }
}
