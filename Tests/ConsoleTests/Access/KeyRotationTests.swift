import Client
import Console
import Domain
import FoundationEssentials
import Locking
import Storage
import Support
import Team
import Testing
import Vault

/// A change of the vault's key on both engines.
@Suite(.timeLimit(.minutes(2))) struct KeyRotationTests {
  /// A database with a device.
  struct Console {
    let driven = DrivenTime()
    let storage: any StorageEngine
    let deviceID: String

    init(_ storage: any StorageEngine, key: SealingKey) async throws {
      self.storage = storage
      let store = BrowserStore(storage: storage, rows: AccessRows(key: key, logger: nil), wall: driven.time.wall)
      let (browser, _) = try await store.makeBrowser()
      deviceID = try #require(try await store.makeDevice(browserID: browser.id, name: nil)).0.id
    }

    /// The device's tokens as a key opens them.
    func tokens(_ key: SealingKey) -> SealedTokenStore {
      SealedTokenStore(storage: storage, key: key, backendID: "b1", deviceID: deviceID)
    }

    /// The device's messages as a key opens them.
    func signInRequests(_ key: SealingKey) -> SignInRequestStore {
      SignInRequestStore(
        storage: storage, key: key, tagKey: [1, 2, 3], rows: AccessRows(key: key, logger: nil), deviceID: deviceID,
        backendID: "b1", wall: driven.time.wall)
    }
  }

  /// How often something was called.
  private final class Count: Sendable {
    private let count = Locked(0)
    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
  }

  let old = SealingKey.random()
  let new = SealingKey.random()

  private func withConsole(_ kind: StorageEngineKind, _ body: (Console) async throws -> Void) async throws {
    try await kind.withConsole { try await body(Console($0, key: old)) }
  }

  /// Tokens as a file contains them.
  private static func stored() throws -> StoredTokens {
    let json = #"{"accessToken":"an access token","refreshToken":"a refresh token","sessionID":"s1"}"#
    return try JSONDecoder().decode(StoredTokens.self, from: Data(json.utf8))
  }

  @Test(arguments: StorageEngineKind.allCases) func afterARotationOnlyTheNewKeyOpens(kind: StorageEngineKind) async throws {
    try await withConsole(kind) { console in
      let kept = try Self.stored()
      try console.tokens(old).save(kept)
      let identifier = try Identifier(normalizing: "dana@example.com")
      #expect(await console.signInRequests(old).port.reserve(identifier, console.driven.wall) == nil)
      let tagKey = try await KeyRotation.tagKey(console.storage, key: old, voiding: PersonSchema.voiding)
      #expect(try await KeyRotation.reseal(console.storage, from: old, to: new) == 3)
      #expect(try console.tokens(new).load() == kept)
      #expect(try await console.signInRequests(new).askedIdentifiers() == ["dana@example.com"])
      #expect(
        try await KeyRotation.tagKey(console.storage, key: new, voiding: PersonSchema.voiding) == tagKey,
        "tags stay what they are")
      #expect(throws: TokenStoreError.damaged) { try console.tokens(old).load() }
      #expect(try await console.signInRequests(old).askedIdentifiers().isEmpty)
      #expect(try await KeyRotation.reseal(console.storage, from: old, to: new) == 0, "there is nothing left to do")
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aKeyThatSealedNothingChangesNothing(kind: StorageEngineKind) async throws {
    try await withConsole(kind) { console in
      let tagKey = try await KeyRotation.tagKey(console.storage, key: new, voiding: PersonSchema.voiding)
      try console.tokens(new).save(try Self.stored())
      #expect(try await KeyRotation.reseal(console.storage, from: old, to: .random()) == 0)
      #expect(try console.tokens(new).load() == (try Self.stored()))
      #expect(try await KeyRotation.tagKey(console.storage, key: new, voiding: PersonSchema.voiding) == tagKey)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func anOldFileKeepsItsTags(kind: StorageEngineKind) async throws {
    try await withConsole(kind) { console in
      try console.tokens(old).save(try Self.stored())
      let before = old.derive("identifier tags")
      #expect(try await KeyRotation.reseal(console.storage, from: old, to: new) == 2)
      #expect(try await KeyRotation.tagKey(console.storage, key: new, voiding: PersonSchema.voiding) == before)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func withoutItsKeyTheTagsAreNew(kind: StorageEngineKind) async throws {
    try await withConsole(kind) { console in
      let before = try await KeyRotation.tagKey(console.storage, key: old, voiding: PersonSchema.voiding)
      let after = try await KeyRotation.tagKey(console.storage, key: new, voiding: PersonSchema.voiding)
      #expect(after != before)
      #expect(try await KeyRotation.tagKey(console.storage, key: new, voiding: PersonSchema.voiding) == after)
    }
  }

  /// Consoles that start at the same time on one database.
  @Test(arguments: StorageEngineKind.allCases) func startsAtTheSameTimeAgreeOnTheNewTags(kind: StorageEngineKind) async throws {
    try await withConsole(kind) { console in
      let before = try await KeyRotation.tagKey(console.storage, key: old, voiding: PersonSchema.voiding)
      let storage = console.storage
      let told = Count()
      let keys = try await withThrowingTaskGroup(of: [UInt8].self) { group in
        for _ in 1...5 {
          group.addTask { try await KeyRotation.tagKey(storage, key: new, voiding: PersonSchema.voiding) { told.add() } }
        }
        return try await group.reduce(into: Set()) { $0.insert($1) }
      }
      #expect(keys.count == 1 && !keys.contains(before))
      #expect(told.value == 1, "of one start, though a transaction may run more than once")
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func nobodyIsToldOfWhatWasUndone(kind: StorageEngineKind) async throws {
    try await withConsole(kind) { console in
      let before = try await KeyRotation.tagKey(console.storage, key: old, voiding: PersonSchema.voiding)
      try console.tokens(old).save(try Self.stored())
      try await console.storage.write { transaction in
        switch kind {
        case .sqlite:
          try transaction.run(
            script: "CREATE TRIGGER full BEFORE UPDATE ON vault_secret BEGIN SELECT RAISE(ABORT, 'full'); END")
        case .postgreSQL: try transaction.run(script: "ALTER TABLE vault_secret ADD CHECK (length(sealed) < 5) NOT VALID")
        }
      }
      let told = Locked(0)
      await #expect(throws: StorageError.constraint) {
        try await KeyRotation.tagKey(console.storage, key: new, voiding: PersonSchema.voiding) { told.withLock { $0 += 1 } }
      }
      #expect(told.withLock { $0 } == 0)
      #expect(try await KeyRotation.tagKey(console.storage, key: old, voiding: PersonSchema.voiding) == before)
      #expect(try console.tokens(old).load() == (try Self.stored()))
    }
  }
}
