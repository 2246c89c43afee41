import Foundation
import GRDB
import HTTPTypes
import JSON
import RPC
import Storage
import Support
import Testing
import Vault

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

  /// The writes of these calls that fail.
  private static let writes = [
    ("token_pair", "INSERT"), ("cue", "UPDATE"), ("account", "UPDATE"), ("login_challenge", "DELETE"),
    ("login_challenge", "UPDATE"),
  ]

  @Test func aFullDisk() async throws {
    let folder = try TemporaryFolder()
    let probe = try await BackendProbe(database: folder.file("backend.sqlite"))
    let storage = probe.backend.services.storage
    try await check(probe) {
      try await storage.write { transaction in
        try transaction.run(script: "CREATE TABLE filler (x)")
        for (table, change) in Self.writes {
          // It also allocates pages, since the last page of a table may have room for another row.
          try transaction.run(
            script: """
              CREATE TRIGGER spoilt_\(table)_\(change) BEFORE \(change) ON \(table)
              BEGIN INSERT INTO filler VALUES (zeroblob(65536)); END
              """)
        }
      }
      try await storage.write { transaction in
        let pages = try transaction.number("PRAGMA page_count") ?? 0
        try transaction.run(script: "PRAGMA max_page_count = \(pages)")
      }
    } end: {
      try await storage.write { transaction in
        try transaction.run(script: "PRAGMA max_page_count = 1073741823")
        for (table, change) in Self.writes { try transaction.run(script: "DROP TRIGGER spoilt_\(table)_\(change)") }
      }
    }
  }

  /// A disk that fails or a database that goes away in the middle of a transaction, whose other statements are then undone.
  @Test(
    arguments: StorageEngineKind.allCases, [StorageError.unusable, .full, .unreachable("the connection was lost")])
  func aWriteThatIsRefused(engine: StorageEngineKind, error: StorageError) async throws {
    try await engine.withEngine { engine in
      let storage = RefusingStorage(engine)
      let probe = try await BackendProbe(shared: (storage, .random()))
      let statements = Self.writes.map { table, change in
        switch change {
        case "INSERT": "INSERT INTO \(table) "
        case "DELETE": "DELETE FROM \(table) "
        default: "UPDATE \(table) "
        }
      }
      try await check(probe) {
        storage.refuse(statements, with: error)
      } end: {
        storage.refuse([], with: nil)
      }
    }
  }

  @Test func aLockedDatabase() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("backend.sqlite")
    let probe = try await BackendProbe(database: path)
    let storage = probe.backend.services.storage
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: path, configuration: configuration)
    try await check(probe) {
      // A shorter timeout than the backend's, to keep the test fast.
      try await storage.write { try $0.run(script: "PRAGMA busy_timeout = 20") }
      try await other.writeWithoutTransaction { db in try db.execute(sql: "BEGIN EXCLUSIVE") }
    } end: {
      try await other.writeWithoutTransaction { db in try db.execute(sql: "ROLLBACK") }
    }
  }
}
