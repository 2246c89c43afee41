import Client
import Console
import Domain
import Foundation
import Locking
import Storage
import Support
import Team
import Testing
import Vault

/// Which files get their rows signed at a start, and what a file loses that nobody can vouch for, on either engine.
@Suite(.timeLimit(.minutes(2))) struct SignedFileTests {
  /// A database with a device that is signed in.
  struct Console {
    let driven = DrivenTime()
    let storage: any StorageEngine
    let cookie: String
    let device: BrowserStore.DeviceRecord

    init(_ storage: any StorageEngine, key: SealingKey) async throws {
      self.storage = storage
      _ = try await KeyRotation.tagKey(storage, key: key, voiding: PersonSchema.voiding)
      let store = BrowserStore(storage: storage, rows: AccessRows(key: key, logger: nil), wall: driven.time.wall)
      let browser: BrowserStore.Browser
      (browser, cookie) = try await store.makeBrowser()
      device = try #require(try await store.makeDevice(browserID: browser.id, name: nil)).0
      let json = #"{"accessToken":"an access token","refreshToken":"a refresh token","sessionID":"s1"}"#
      try tokens(key).save(try JSONDecoder().decode(StoredTokens.self, from: Data(json.utf8)))
    }

    /// The device's tokens as a key opens them.
    func tokens(_ key: SealingKey) -> SealedTokenStore {
      SealedTokenStore(storage: storage, key: key, backendID: "b1", deviceID: device.id)
    }

    /// Whether a process with this key recognises the browser and its device.
    func knows(_ key: SealingKey) async throws -> Bool {
      let store = BrowserStore(storage: storage, rows: AccessRows(key: key, logger: nil), wall: driven.time.wall)
      guard let browser = try await store.browser(cookie: cookie) else { return false }
      return try await store.devices(browserID: browser.id) == [device]
    }

    /// Changes the database as somebody else would.
    func run(_ sql: String, _ arguments: any StorageConvertible & Sendable...) async throws {
      let arguments = arguments.map(\.storageValue)
      try await storage.write { try $0.execute(sql, arguments) }
    }

    /// Makes the database one from before rows were signed; returns the key of its tags.
    func age(_ key: SealingKey) async throws -> [UInt8] {
      let tagKey = SecureRandom.bytes(32)
      let sealed = key.seal(tagKey, associatedData: Array("vault_secret\nidentifier tags".utf8))
      for table in AccessRows.Table.allCases { try await run("UPDATE \(table.rawValue) SET mac = NULL") }
      try await run("UPDATE vault_secret SET sealed = ? WHERE name = 'identifier tags'", sealed)
      return tagKey
    }
  }

  let key = SealingKey.random()

  private func withConsole(_ kind: StorageEngineKind, _ body: (Console) async throws -> Void) async throws {
    try await kind.withConsole { try await body(Console($0, key: key)) }
  }

  @Test(arguments: StorageEngineKind.allCases) func anOldFileIsSignedAndLosesNothing(kind: StorageEngineKind) async throws {
    try await withConsole(kind) { console in
      let tagKey = try await console.age(key)
      #expect(try await !console.knows(key))
      #expect(try await KeyRotation.tagKey(console.storage, key: key, voiding: PersonSchema.voiding) == tagKey)
      #expect(try await console.knows(key))
      #expect(try console.tokens(key).load() != nil)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func anOldFileIsSignedWithANewKeyToo(kind: StorageEngineKind) async throws {
    try await withConsole(kind) { console in
      let tagKey = try await console.age(key)
      let new = SealingKey.random()
      #expect(try await KeyRotation.reseal(console.storage, from: key, to: new) == 2)
      #expect(try await KeyRotation.tagKey(console.storage, key: new, voiding: PersonSchema.voiding) == tagKey)
      #expect(try await console.knows(new))
      #expect(try console.tokens(new).load() != nil)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aFileThatOnlyLooksOldLosesItsSessions(kind: StorageEngineKind) async throws {
    try await withConsole(kind) { console in
      _ = try await console.age(key)
      let told = Locked(0)
      _ = try await KeyRotation.tagKey(console.storage, key: key, voiding: PersonSchema.voiding, mayBeUnsigned: false) {
        told.withLock { $0 += 1 }
      }
      #expect(told.withLock { $0 } == 1)
      #expect(try await console.knows(key))
      #expect(throws: TokenStoreError.damaged) { try console.tokens(key).load() }
    }
  }

  @Test(arguments: StorageEngineKind.allCases, [nil, [0]])
  func aPlantedRowLeadsToNoTokens(kind: StorageEngineKind, sealed: [UInt8]?) async throws {
    try await withConsole(kind) { console in
      if let sealed {
        try await console.run("UPDATE vault_secret SET sealed = ?", sealed)
      } else {
        try await console.run("DELETE FROM vault_secret")
      }
      try await isVoid(console)
    }
  }

  /// SQLite stores any type in the column.
  @Test func aKeyOfTheTagsOfAnotherTypeLeadsToNoTokens() async throws {
    try await withConsole(.sqlite) { console in
      try await console.run("UPDATE vault_secret SET sealed = 'text'")
      try await isVoid(console)
    }
  }

  /// Expects that a start with a planted row keeps the device and voids its tokens.
  private func isVoid(_ console: Console) async throws {
    try await console.run("UPDATE device SET mac = NULL")
    let told = Locked(0)
    _ = try await KeyRotation.tagKey(console.storage, key: key, voiding: PersonSchema.voiding) { told.withLock { $0 += 1 } }
    #expect(told.withLock { $0 } == 1)
    #expect(try await console.knows(key))
    #expect(throws: TokenStoreError.damaged) { try console.tokens(key).load() }
  }

  @Test(arguments: StorageEngineKind.allCases) func anotherKeyKeepsDevicesWithoutTokens(kind: StorageEngineKind) async throws {
    try await withConsole(kind) { console in
      let new = SealingKey.random()
      _ = try await KeyRotation.tagKey(console.storage, key: new, voiding: PersonSchema.voiding)
      #expect(try await console.knows(new))
      #expect(throws: TokenStoreError.damaged) { try console.tokens(new).load() }
      #expect(throws: TokenStoreError.damaged) { try console.tokens(key).load() }
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aSecondStartSignsNothing(kind: StorageEngineKind) async throws {
    try await withConsole(kind) { console in
      try await console.run("UPDATE device SET mac = NULL")
      _ = try await KeyRotation.tagKey(console.storage, key: key, voiding: PersonSchema.voiding)
      #expect(try await !console.knows(key))
      #expect(try console.tokens(key).load() != nil)
    }
  }
}
