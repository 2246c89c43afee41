import Client
import Console
import Domain
import Foundation
import GRDB
import Locking
import Support
import Testing
import Vault

/// Which files get their rows signed at a start, and what a file loses that nobody can vouch for.
@Suite struct SignedFileTests {
  let driven = DrivenTime()
  let database: DatabaseQueue
  let key = SealingKey.random()
  let cookie: String
  let device: BrowserStore.DeviceRecord

  init() async throws {
    database = try ConsoleDatabase.open(path: nil)
    _ = try KeyRotation.tagKey(database, key: key)
    let store = BrowserStore(database: database, rows: AccessRows(key: key, logger: nil), wall: driven.time.wall)
    let browser: BrowserStore.Browser
    (browser, cookie) = try await store.makeBrowser()
    device = try #require(try await store.makeDevice(browserID: browser.id, name: nil)).0
    let json = #"{"accessToken":"an access token","refreshToken":"a refresh token","sessionID":"s1"}"#
    try tokens(key).save(try JSONDecoder().decode(StoredTokens.self, from: Data(json.utf8)))
  }

  private func tokens(_ key: SealingKey) -> SealedTokenStore {
    SealedTokenStore(database: database, key: key, backendID: "b1", deviceID: device.id)
  }

  private func knows(_ key: SealingKey) async throws -> Bool {
    let store = BrowserStore(database: database, rows: AccessRows(key: key, logger: nil), wall: driven.time.wall)
    guard let browser = try await store.browser(cookie: cookie) else { return false }
    return try await store.devices(browserID: browser.id) == [device]
  }

  /// Makes the file one from before rows were signed; returns the key of its tags.
  private func age() async throws -> [UInt8] {
    let tagKey = SecureRandom.bytes(32)
    let sealed = Data(key.seal(tagKey, associatedData: Array("vault_secret\nidentifier tags".utf8)))
    try await database.write { db in
      for table in AccessRows.Table.allCases { try db.execute(sql: "UPDATE \(table.rawValue) SET mac = NULL") }
      try db.execute(sql: "UPDATE vault_secret SET sealed = ? WHERE name = 'identifier tags'", arguments: [sealed])
    }
    return tagKey
  }

  @Test func anOldFileIsSignedAndLosesNothing() async throws {
    let tagKey = try await age()
    #expect(try await !knows(key))
    #expect(try KeyRotation.tagKey(database, key: key) == tagKey)
    #expect(try await knows(key))
    #expect(try tokens(key).load() != nil)
  }

  @Test func anOldFileIsSignedWithANewKeyToo() async throws {
    let (tagKey, new) = (try await age(), SealingKey.random())
    #expect(try KeyRotation.reseal(database, from: key, to: new) == 2)
    #expect(try KeyRotation.tagKey(database, key: new) == tagKey)
    #expect(try await knows(new))
    #expect(try tokens(new).load() != nil)
  }

  @Test func aFileThatOnlyLooksOldLosesItsSessions() async throws {
    _ = try await age()
    let told = Locked(0)
    _ = try KeyRotation.tagKey(database, key: key, mayBeUnsigned: false) { told.withLock { $0 += 1 } }
    #expect(told.withLock { $0 } == 1)
    #expect(try await knows(key))
    #expect(throws: TokenStoreError.damaged) { try tokens(key).load() }
  }

  @Test(arguments: [
    "DELETE FROM vault_secret", "UPDATE vault_secret SET sealed = x'00'", "UPDATE vault_secret SET sealed = 'text'",
  ])
  func aPlantedRowLeadsToNoTokens(sql: String) async throws {
    try await database.write { db in try db.execute(sql: "UPDATE device SET mac = NULL; " + sql) }
    let told = Locked(0)
    _ = try KeyRotation.tagKey(database, key: key) { told.withLock { $0 += 1 } }
    #expect(told.withLock { $0 } == 1)
    #expect(try await knows(key))
    #expect(throws: TokenStoreError.damaged) { try tokens(key).load() }
  }

  @Test func anotherKeyKeepsDevicesWithoutTokens() async throws {
    let new = SealingKey.random()
    _ = try KeyRotation.tagKey(database, key: new)
    #expect(try await knows(new))
    #expect(throws: TokenStoreError.damaged) { try tokens(new).load() }
    #expect(throws: TokenStoreError.damaged) { try tokens(key).load() }
  }

  @Test func aSecondStartSignsNothing() async throws {
    try await database.write { db in try db.execute(sql: "UPDATE device SET mac = NULL") }
    _ = try KeyRotation.tagKey(database, key: key)
    #expect(try await !knows(key))
    #expect(try tokens(key).load() != nil)
  }
}
