import Client
import Console
import Domain
import FoundationEssentials
import Storage
import Support
import Testing
import Vault

@Suite struct KeyRotationTests {
  let driven = DrivenTime()
  let storage: SQLiteStorage
  let deviceID: String
  let old = SealingKey.random()
  let new = SealingKey.random()

  init() async throws {
    storage = try await ConsoleDatabase.open(path: nil)
    let store = BrowserStore(storage: storage, rows: AccessRows(key: old, logger: nil), wall: driven.time.wall)
    let (browser, _) = try await store.makeBrowser()
    deviceID = try #require(try await store.makeDevice(browserID: browser.id, name: nil)).0.id
  }

  private func tokens(_ key: SealingKey) -> SealedTokenStore {
    SealedTokenStore(storage: storage, key: key, backendID: "b1", deviceID: deviceID)
  }

  private func ledger(_ key: SealingKey) -> DeviceLedger {
    DeviceLedger(
      storage: storage, key: key, tagKey: [1, 2, 3], rows: AccessRows(key: key, logger: nil), deviceID: deviceID,
      backendID: "b1", wall: driven.time.wall)
  }

  /// Tokens as a file contains them.
  private static func stored() throws -> StoredTokens {
    let json = #"{"accessToken":"an access token","refreshToken":"a refresh token","sessionID":"s1"}"#
    return try JSONDecoder().decode(StoredTokens.self, from: Data(json.utf8))
  }

  @Test func afterARotationOnlyTheNewKeyOpens() async throws {
    let kept = try Self.stored()
    try tokens(old).save(kept)
    let identifier = try Identifier(normalizing: "dana@example.com")
    #expect(await ledger(old).port.reserve(identifier, driven.wall) == nil)
    let tagKey = try await KeyRotation.tagKey(storage, key: old)
    #expect(try await KeyRotation.reseal(storage, from: old, to: new) == 3)
    #expect(try tokens(new).load() == kept)
    #expect(try await ledger(new).askedIdentifiers() == ["dana@example.com"])
    #expect(try await KeyRotation.tagKey(storage, key: new) == tagKey, "tags stay what they are")
    #expect(throws: TokenStoreError.damaged) { try tokens(old).load() }
    #expect(try await ledger(old).askedIdentifiers().isEmpty)
    #expect(try await KeyRotation.reseal(storage, from: old, to: new) == 0, "there is nothing left to do")
  }

  @Test func aKeyThatSealedNothingChangesNothing() async throws {
    let tagKey = try await KeyRotation.tagKey(storage, key: new)
    try tokens(new).save(try Self.stored())
    #expect(try await KeyRotation.reseal(storage, from: old, to: .random()) == 0)
    #expect(try tokens(new).load() == (try Self.stored()))
    #expect(try await KeyRotation.tagKey(storage, key: new) == tagKey)
  }

  @Test func anOldFileKeepsItsTags() async throws {
    try tokens(old).save(try Self.stored())
    let before = old.derive("identifier tags")
    #expect(try await KeyRotation.reseal(storage, from: old, to: new) == 2)
    #expect(try await KeyRotation.tagKey(storage, key: new) == before)
  }

  @Test func withoutItsKeyTheTagsAreNew() async throws {
    let before = try await KeyRotation.tagKey(storage, key: old)
    let after = try await KeyRotation.tagKey(storage, key: new)
    #expect(after != before)
    #expect(try await KeyRotation.tagKey(storage, key: new) == after)
  }
}
