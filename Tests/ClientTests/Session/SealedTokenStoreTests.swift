import Client
import FoundationEssentials
import Storage
import Support
import Testing
import Vault

/// The guarantees of the sealed store beyond those of `TokenStoreTests`.
@Suite(.timeLimit(.minutes(2)))
struct SealedTokenStoreTests {
  let key = SealingKey.random()
  let tokens: StoredTokens

  init() throws {
    let text =
      #"{"accessToken":"a-secret","refreshToken":"r-secret","sessionID":"s","accessLifetimeSeconds":900,"accessExpiresAt":0}"#
    tokens = try JSONDecoder().decode(StoredTokens.self, from: Data(text.utf8))
  }

  private func store(_ storage: any StorageEngine, key: SealingKey? = nil, backend: String = "b", device: String = "d")
    -> SealedTokenStore
  {
    SealedTokenStore(storage: storage, key: key ?? self.key, backendID: backend, deviceID: device)
  }

  @Test(arguments: StorageEngineKind.allCases) func compartmentsAreApart(kind: StorageEngineKind) async throws {
    try await kind.withEngine(SealedTokenStore.schema) { storage in
      try store(storage).save(tokens)
      #expect(try store(storage, backend: "other").load() == nil)
      #expect(try store(storage, device: "other").load() == nil)
      try store(storage, backend: "other").clear()
      #expect(try store(storage).load() == tokens)
      try store(storage).clear()
      #expect(try store(storage).load() == nil)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func deviceIsForgottenForEveryBackend(kind: StorageEngineKind) async throws {
    try await kind.withEngine(SealedTokenStore.schema) { storage in
      for (backend, device) in [("b", "d"), ("b2", "d"), ("b", "d2")] {
        try store(storage, backend: backend, device: device).save(tokens)
      }
      try await storage.write { try SealedTokenStore.removeAll(deviceID: "d", in: $0) }
      #expect(try store(storage).load() == nil)
      #expect(try store(storage, backend: "b2").load() == nil)
      #expect(try store(storage, device: "d2").load() == tokens)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func nothingIsReadable(kind: StorageEngineKind) async throws {
    try await kind.withEngine(SealedTokenStore.schema) { storage in
      try store(storage).save(tokens)
      let bytes = try #require(try await storage.read { try $0.first("SELECT sealed FROM client_token")?.bytes("sealed") })
      #expect(bytes.count > 100)
      #expect(!String(decoding: bytes, as: UTF8.self).contains("secret"))
    }
  }

  /// Changes of a row by somebody else; `(place)` is where its tokens are looked for then.
  private static let changes: [(device: String, backend: String, change: @Sendable ([UInt8]) -> [UInt8])] = [
    ("d2", "b", { $0 }), ("d", "b2", { $0 }), ("d", "b", { _ in [] }), ("d", "b", { _ in SecureRandom.bytes(200) }),
    ("d", "b", { $0.dropLast() }),
  ]

  @Test(arguments: StorageEngineKind.allCases, changes.indices)
  func movedOrChangedRowsDoNotOpen(kind: StorageEngineKind, index: Int) async throws {
    let (device, backend, change) = Self.changes[index]
    try await kind.withEngine(SealedTokenStore.schema) { storage in
      try store(storage).save(tokens)
      try await storage.write { transaction in
        let sealed = try transaction.first("SELECT sealed FROM client_token")?.bytes("sealed") ?? []
        try transaction.execute(
          "UPDATE client_token SET device_id = ?, backend_id = ?, sealed = ?", device, backend, change(sealed))
      }
      #expect(throws: TokenStoreError.damaged) { try store(storage, backend: backend, device: device).load() }
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func anotherKeyDoesNotOpen(kind: StorageEngineKind) async throws {
    try await kind.withEngine(SealedTokenStore.schema) { storage in
      try store(storage).save(tokens)
      #expect(throws: TokenStoreError.damaged) { try store(storage, key: .random()).load() }
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aNewKeyTakesOverWhatTheOldOneOpens(kind: StorageEngineKind) async throws {
    try await kind.withEngine(SealedTokenStore.schema) { storage in
      let key = key
      let new = SealingKey.random()
      try store(storage).save(tokens)
      try store(storage, key: .random(), device: "stranger").save(tokens)
      let count = try await storage.write { try SealedTokenStore.reseal($0, from: key, to: new) }
      #expect(count == 1)
      #expect(try store(storage, key: new).load() == tokens)
      #expect(throws: TokenStoreError.damaged) { try store(storage).load() }
      try await storage.write { try SealedTokenStore.invalidateAll($0) }
      #expect(throws: TokenStoreError.damaged) { try store(storage, key: new).load() }
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func namesThatRunTogetherAreToldApart(kind: StorageEngineKind) async throws {
    try await kind.withEngine(SealedTokenStore.schema) { storage in
      try store(storage, backend: "ab", device: "c").save(tokens)
      try await storage.write { try $0.execute("UPDATE client_token SET backend_id = ?, device_id = ?", "a", "bc") }
      #expect(throws: TokenStoreError.damaged) { try store(storage, backend: "a", device: "bc").load() }
    }
  }

  @Test func fullDiskIsToldApart() throws {
    let storage = try SQLiteStorage(path: nil)
    try storage.writeAndWait { try $0.run(script: StorageDialect.sqlite.script(SealedTokenStore.schema)) }
    try storage.writeAndWait { transaction in
      let pages = try transaction.number("PRAGMA page_count") ?? 0
      _ = try transaction.rows("PRAGMA max_page_count = \(pages)")
    }
    // The free space is filled, so that the next row does not fit.
    #expect(throws: StorageError.full) {
      for index in 0..<10_000 {
        try storage.writeAndWait {
          try $0.execute(
            "INSERT INTO client_token (device_id, backend_id, sealed) VALUES (?, 'x', zeroblob(2))", "\(index)")
        }
      }
    }
    #expect(throws: TokenStoreError.storageFull) { try store(storage).save(tokens) }
  }

  @Test(arguments: StorageEngineKind.allCases) func missingTableIsAnError(kind: StorageEngineKind) async throws {
    try await kind.withEngine { storage in
      #expect(throws: TokenStoreError.unavailable) { try store(storage).load() }
    }
  }

  @Test func aFileThatIsNoDatabaseIsDamaged() throws {
    let folder = try TemporaryFolder()
    try folder.write(String(repeating: "no database ", count: 500), to: "console.sqlite")
    #expect(throws: StorageError.damaged) { try SQLiteStorage(path: folder.file("console.sqlite")) }
  }
}
