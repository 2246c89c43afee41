import Foundation
import GRDB
import HTTPTypes
import JSON
import RPC
import Support
import Testing

@testable import Backend

/// A database that cannot be written: 503 with `Retry-After`, no partial changes, and normal service afterwards.
@Suite(.timeLimit(.minutes(1))) struct FaultyDiskTests {
  private func expectUnavailable(_ reply: BackendProbe.Reply) {
    #expect(reply.status == 503 && reply.code == "unavailable" && reply.fields[.retryAfter] == "1")
  }

  /// Refresh, login and change fail while the fault lasts, and succeed afterwards.
  private func check(_ probe: BackendProbe, begin: () async throws -> Void, end: () async throws -> Void) async throws {
    let tokens = try await probe.signIn()
    let message = try await probe.ask()
    let profile = try #require(tokens.profile).profileID
    let before = try await probe.cues(tokens).fields[.eTag]
    try await begin()
    expectUnavailable(try await probe.refresh(tokens.refreshToken))
    expectUnavailable(try await probe.redeem(link: message.token))
    expectUnavailable(try await probe.redeem(code: try #require(message.code)))
    expectUnavailable(try await probe.post("/rpc/shuffle_cues", "{\"profile_id\":\"\(profile)\"}", token: tokens.accessToken))
    expectUnavailable(try await probe.post("/rpc/request_account_deletion", "{}", token: tokens.accessToken))
    #expect(try await probe.call(.get, "/rpc/app_config").status == 200)
    try await end()
    probe.time.advance(by: .seconds(60))
    #expect(try await probe.cues(tokens).fields[.eTag] == before)
    #expect(try await probe.account(tokens).deletionScheduledFor == nil)
    // After the grace period: a partial rotation would end the session here.
    let successor = try await probe.refresh(tokens.refreshToken)
    #expect(successor.status == 200)
    #expect(try await probe.redeem(code: try #require(message.code)).status == 200, "no attempt was counted")
  }

  /// Makes every write of these calls fail, with a trigger that runs before it.
  private func spoil(_ database: DatabaseQueue, by statement: String) async throws {
    try await database.writeWithoutTransaction { db in
      for (table, change) in Self.writes {
        try db.execute(sql: "CREATE TRIGGER spoilt_\(table)_\(change) BEFORE \(change) ON \(table) BEGIN \(statement); END")
      }
    }
  }

  private func restore(_ database: DatabaseQueue) async throws {
    try await database.writeWithoutTransaction { db in
      for (table, change) in Self.writes { try db.execute(sql: "DROP TRIGGER spoilt_\(table)_\(change)") }
    }
  }

  private static let writes = [
    ("token_pair", "INSERT"), ("cue", "UPDATE"), ("account", "UPDATE"), ("login_challenge", "DELETE"),
    ("login_challenge", "UPDATE"),
  ]

  @Test func aFullDisk() async throws {
    let folder = try TemporaryFolder()
    let probe = try BackendProbe(database: folder.file("backend.sqlite"))
    let database = probe.backend.services.database
    try await check(probe) {
      try await database.writeWithoutTransaction { db in try db.execute(sql: "CREATE TABLE filler (x)") }
      // The trigger also allocates pages, since the last page of a table may have room for another row.
      try await spoil(database, by: "INSERT INTO filler VALUES (zeroblob(65536))")
      try await database.writeWithoutTransaction { db in
        let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
        try db.execute(sql: "PRAGMA max_page_count = \(pages)")
      }
    } end: {
      try await database.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA max_page_count = 1073741823") }
      try await restore(database)
    }
  }

  /// A file that becomes read-only, or a disk that fails, in the middle of a transaction. Root may write to any file, so a SQL
  /// function returns the error code of SQLite instead.
  @Test(arguments: [ResultCode.SQLITE_READONLY, .SQLITE_IOERR, .SQLITE_FULL]) func aWriteThatIsRefused(code: ResultCode)
    async throws
  {
    let folder = try TemporaryFolder()
    let probe = try BackendProbe(database: folder.file("backend.sqlite"))
    let database = probe.backend.services.database
    try await check(probe) {
      try await database.writeWithoutTransaction { db in
        db.add(function: DatabaseFunction("refuse", argumentCount: 0) { _ in throw DatabaseError(resultCode: code) })
      }
      try await spoil(database, by: "SELECT refuse()")
    } end: {
      try await restore(database)
    }
  }

  @Test func aLockedDatabase() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("backend.sqlite")
    let probe = try BackendProbe(database: path)
    let database = probe.backend.services.database
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: path, configuration: configuration)
    try await check(probe) {
      // A shorter timeout than the backend's, to keep the test fast.
      try await database.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA busy_timeout = 20") }
      try await other.writeWithoutTransaction { db in try db.execute(sql: "BEGIN EXCLUSIVE") }
    } end: {
      try await other.writeWithoutTransaction { db in try db.execute(sql: "ROLLBACK") }
    }
  }
}
