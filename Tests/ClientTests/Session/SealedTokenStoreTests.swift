import Client
import FoundationEssentials
import GRDB
import Testing
import Vault

/// The guarantees of the sealed store beyond those of `TokenStoreTests`.
struct SealedTokenStoreTests {
  let key = SealingKey.random()
  let tokens: StoredTokens

  init() throws {
    let text =
      #"{"accessToken":"a-secret","refreshToken":"r-secret","sessionID":"s","accessLifetimeSeconds":900,"accessExpiresAt":0}"#
    tokens = try JSONDecoder().decode(StoredTokens.self, from: Data(text.utf8))
  }

  private func database() throws -> DatabaseQueue {
    let database = try DatabaseQueue()
    try database.write { try SealedTokenStore.migrate($0) }
    return database
  }

  private func store(_ database: DatabaseQueue, key: SealingKey? = nil, backend: String = "b", device: String = "d")
    -> SealedTokenStore
  {
    SealedTokenStore(database: database, key: key ?? self.key, backendID: backend, deviceID: device)
  }

  @Test func compartmentsAreApart() throws {
    let database = try database()
    try store(database).save(tokens)
    #expect(try store(database, backend: "other").load() == nil)
    #expect(try store(database, device: "other").load() == nil)
    try store(database, backend: "other").clear()
    #expect(try store(database).load() == tokens)
  }

  @Test func deviceIsForgottenForEveryBackend() throws {
    let database = try database()
    for (backend, device) in [("b", "d"), ("b2", "d"), ("b", "d2")] {
      try store(database, backend: backend, device: device).save(tokens)
    }
    try database.write { try SealedTokenStore.removeAll(deviceID: "d", in: $0) }
    #expect(try store(database).load() == nil)
    #expect(try store(database, backend: "b2").load() == nil)
    #expect(try store(database, device: "d2").load() == tokens)
  }

  @Test func nothingIsReadable() throws {
    let database = try database()
    try store(database).save(tokens)
    let sealed = try database.read { try Data.fetchOne($0, sql: "SELECT sealed FROM client_token") }
    let bytes = [UInt8](try #require(sealed))
    #expect(bytes.count > 100)
    #expect(!String(decoding: bytes, as: UTF8.self).contains("secret"))
  }

  @Test(arguments: [
    "UPDATE client_token SET device_id = 'd2'", "UPDATE client_token SET backend_id = 'b2'",
    "UPDATE client_token SET sealed = x''", "UPDATE client_token SET sealed = randomblob(200)",
    "UPDATE client_token SET sealed = substr(sealed, 1, length(sealed) - 1)",
  ])
  func movedOrChangedRowsDoNotOpen(sql: String) throws {
    let database = try database()
    try store(database).save(tokens)
    try database.write { try $0.execute(sql: sql) }
    let moved = store(database, backend: sql.contains("b2") ? "b2" : "b", device: sql.contains("d2") ? "d2" : "d")
    #expect(throws: TokenStoreError.damaged) { try moved.load() }
  }

  @Test func anotherKeyDoesNotOpen() throws {
    let database = try database()
    try store(database).save(tokens)
    #expect(throws: TokenStoreError.damaged) { try store(database, key: .random()).load() }
  }

  @Test func namesThatRunTogetherAreToldApart() throws {
    let database = try database()
    try store(database, backend: "ab", device: "c").save(tokens)
    try database.write { try $0.execute(sql: "UPDATE client_token SET backend_id = 'a', device_id = 'bc'") }
    #expect(throws: TokenStoreError.damaged) { try store(database, backend: "a", device: "bc").load() }
  }

  @Test func fullDiskIsToldApart() throws {
    let database = try database()
    try database.write { db in
      let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
      try db.execute(sql: "PRAGMA max_page_count = \(pages)")
    }
    // The free space is filled, so that the next row does not fit.
    #expect(throws: DatabaseError.self) {
      for index in 0..<10_000 {
        try database.write {
          try $0.execute(
            sql: "INSERT INTO client_token (device_id, backend_id, sealed) VALUES (?, 'x', zeroblob(2))", arguments: ["\(index)"])
        }
      }
    }
    #expect(throws: TokenStoreError.storageFull) { try store(database).save(tokens) }
  }

  @Test func missingTableIsAnError() throws {
    #expect(throws: TokenStoreError.unavailable) { try store(DatabaseQueue()).load() }
  }
}
