import Client
import Console
import Domain
import Foundation
import Locking
import Storage
import Support
import Testing
import Vault

/// Which files get their rows signed at a start, and what a file loses that nobody can vouch for.
@Suite struct SignedFileTests {
  let driven = DrivenTime()
  let storage: SQLiteStorage
  let key = SealingKey.random()
  let cookie: String
  let device: BrowserStore.DeviceRecord

  init() async throws {
    storage = try await ConsoleDatabase.open(path: nil)
    _ = try await KeyRotation.tagKey(storage, key: key)
    let store = BrowserStore(storage: storage, rows: AccessRows(key: key, logger: nil), wall: driven.time.wall)
    let browser: BrowserStore.Browser
    (browser, cookie) = try await store.makeBrowser()
    device = try #require(try await store.makeDevice(browserID: browser.id, name: nil)).0
    let json = #"{"accessToken":"an access token","refreshToken":"a refresh token","sessionID":"s1"}"#
    try tokens(key).save(try JSONDecoder().decode(StoredTokens.self, from: Data(json.utf8)))
  }

  private func tokens(_ key: SealingKey) -> SealedTokenStore {
    SealedTokenStore(storage: storage, key: key, backendID: "b1", deviceID: device.id)
  }

  private func knows(_ key: SealingKey) async throws -> Bool {
    let store = BrowserStore(storage: storage, rows: AccessRows(key: key, logger: nil), wall: driven.time.wall)
    guard let browser = try await store.browser(cookie: cookie) else { return false }
    return try await store.devices(browserID: browser.id) == [device]
  }

  /// Makes the file one from before rows were signed; returns the key of its tags.
  private func age() async throws -> [UInt8] {
    let tagKey = SecureRandom.bytes(32)
    let sealed = key.seal(tagKey, associatedData: Array("vault_secret\nidentifier tags".utf8))
    try await storage.write { transaction in
      for table in AccessRows.Table.allCases { try transaction.execute("UPDATE \(table.rawValue) SET mac = NULL") }
      try transaction.execute("UPDATE vault_secret SET sealed = ? WHERE name = 'identifier tags'", sealed)
    }
    return tagKey
  }

  @Test func anOldFileIsSignedAndLosesNothing() async throws {
    let tagKey = try await age()
    #expect(try await !knows(key))
    #expect(try await KeyRotation.tagKey(storage, key: key) == tagKey)
    #expect(try await knows(key))
    #expect(try tokens(key).load() != nil)
  }

  @Test func anOldFileIsSignedWithANewKeyToo() async throws {
    let (tagKey, new) = (try await age(), SealingKey.random())
    #expect(try await KeyRotation.reseal(storage, from: key, to: new) == 2)
    #expect(try await KeyRotation.tagKey(storage, key: new) == tagKey)
    #expect(try await knows(new))
    #expect(try tokens(new).load() != nil)
  }

  @Test func aFileThatOnlyLooksOldLosesItsSessions() async throws {
    _ = try await age()
    let told = Locked(0)
    _ = try await KeyRotation.tagKey(storage, key: key, mayBeUnsigned: false) { told.withLock { $0 += 1 } }
    #expect(told.withLock { $0 } == 1)
    #expect(try await knows(key))
    #expect(throws: TokenStoreError.damaged) { try tokens(key).load() }
  }

  @Test(arguments: [
    "DELETE FROM vault_secret", "UPDATE vault_secret SET sealed = x'00'", "UPDATE vault_secret SET sealed = 'text'",
  ])
  func aPlantedRowLeadsToNoTokens(sql: String) async throws {
    try await storage.write { try $0.run(script: "UPDATE device SET mac = NULL; " + sql) }
    let told = Locked(0)
    _ = try await KeyRotation.tagKey(storage, key: key) { told.withLock { $0 += 1 } }
    #expect(told.withLock { $0 } == 1)
    #expect(try await knows(key))
    #expect(throws: TokenStoreError.damaged) { try tokens(key).load() }
  }

  @Test func anotherKeyKeepsDevicesWithoutTokens() async throws {
    let new = SealingKey.random()
    _ = try await KeyRotation.tagKey(storage, key: new)
    #expect(try await knows(new))
    #expect(throws: TokenStoreError.damaged) { try tokens(new).load() }
    #expect(throws: TokenStoreError.damaged) { try tokens(key).load() }
  }

  @Test func aSecondStartSignsNothing() async throws {
    try await storage.write { try $0.run(script: "UPDATE device SET mac = NULL") }
    _ = try await KeyRotation.tagKey(storage, key: key)
    #expect(try await !knows(key))
    #expect(try tokens(key).load() != nil)
  }
}
