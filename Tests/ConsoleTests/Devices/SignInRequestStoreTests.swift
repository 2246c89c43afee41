import Console
import Domain
import Foundation
import Storage
import Support
import Testing
import Vault

/// The store on both engines.
@Suite(.timeLimit(.minutes(2))) struct SignInRequestStoreTests {
  /// A database with two devices.
  struct Console {
    let driven: DrivenTime
    let key = SealingKey.random()
    let storage: any StorageEngine
    let deviceIDs: [String]

    init(_ storage: any StorageEngine, _ driven: DrivenTime) async throws {
      self.storage = storage
      self.driven = driven
      let store = BrowserStore(storage: storage, rows: AccessRows(key: key, logger: nil), wall: driven.time.wall)
      let (browser, _) = try await store.makeBrowser()
      var ids: [String] = []
      for _ in 1...2 { ids.append(try #require(try await store.makeDevice(browserID: browser.id, name: nil)).0.id) }
      deviceIDs = ids
    }

    /// The store of a device, as after a restart.
    func signInRequests(
      backend: String = "b1", key: SealingKey? = nil, device: Int = 0, wall: (@Sendable () -> Date)? = nil
    ) -> SignInRequestStore {
      SignInRequestStore(
        storage: storage, key: key ?? self.key, tagKey: [1, 2, 3], rows: AccessRows(key: self.key, logger: nil),
        deviceID: deviceIDs[device], backendID: backend, wall: wall ?? driven.time.wall)
    }
  }

  let driven = DrivenTime()

  private func withConsole(_ kind: StorageEngineKind, _ body: (Console) async throws -> Void) async throws {
    try await kind.withConsole { try await body(Console($0, driven)) }
  }

  @Test(arguments: StorageEngineKind.allCases) func aCooldownOutlivesARestart(kind: StorageEngineKind) async throws {
    try await withConsole(kind) { console in
      let identifier = try Identifier(normalizing: "dana@example.com")
      let retryAt = driven.wall.addingTimeInterval(60)
      #expect(await console.signInRequests().port.reserve(identifier, driven.wall.addingTimeInterval(10)) == nil)
      await console.signInRequests().port.setRetryAt(identifier, retryAt)
      #expect(await console.signInRequests().port.reserve(identifier, driven.wall.addingTimeInterval(10)) == retryAt)
      #expect(try await console.signInRequests().cooldowns().map(\.retryAt) == [retryAt])
      #expect(await console.signInRequests(backend: "b2").port.reserve(identifier, retryAt) == nil)
      driven.advance(by: .seconds(60))
      #expect(try await console.signInRequests().cooldowns().isEmpty)
      #expect(await console.signInRequests().port.reserve(identifier, driven.wall.addingTimeInterval(10)) == nil)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aClockSetBackDoesNotExtendACooldown(kind: StorageEngineKind) async throws {
    try await withConsole(kind) { console in
      let identifier = try Identifier(normalizing: "dana@example.com")
      let before = driven.wall
      driven.advance(by: .seconds(86_400))
      #expect(await console.signInRequests().port.reserve(identifier, driven.wall.addingTimeInterval(10)) == nil)
      await console.signInRequests().port.setRetryAt(identifier, driven.wall.addingTimeInterval(60))
      let earlier = console.signInRequests(wall: { before })
      #expect(try await earlier.cooldowns().map(\.retryAt) == [before.addingTimeInterval(60)])
      #expect(await earlier.port.reserve(identifier, before.addingTimeInterval(10)) == before.addingTimeInterval(60))
      let later = console.signInRequests(wall: { before.addingTimeInterval(60) })
      #expect(try await later.cooldowns().isEmpty)
      #expect(await later.port.reserve(identifier, before.addingTimeInterval(70)) == nil)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func onlyOneOfManyConcurrentRequestsStartsACooldown(kind: StorageEngineKind)
    async throws
  {
    try await withConsole(kind) { console in
      let identifier = try Identifier(normalizing: "dana@example.com")
      let until = driven.wall.addingTimeInterval(10)
      let taken = await withTaskGroup(of: Bool.self) { group in
        for _ in 1...20 { group.addTask { await console.signInRequests().port.reserve(identifier, until) == nil } }
        return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      #expect(taken == 1)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func identifiersAreSealed(kind: StorageEngineKind) async throws {
    try await withConsole(kind) { console in
      let identifier = try Identifier(normalizing: "dana@example.com")
      #expect(await console.signInRequests().port.reserve(identifier, driven.wall) == nil)
      #expect(try await console.signInRequests().askedIdentifiers() == ["dana@example.com"])
      #expect(try await console.signInRequests(key: .random()).askedIdentifiers().isEmpty)
      let row = try #require(try await console.storage.read { try $0.first("SELECT * FROM asked_identifier") })
      for column in ["device_id", "backend_id", "tag"] { #expect(try !row.text(column).contains("dana")) }
      #expect(Data(try row.bytes("sealed")).range(of: Data("dana".utf8)) == nil)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aStateIsKnownForADayOnTheDeviceThatMadeIt(kind: StorageEngineKind)
    async throws
  {
    try await withConsole(kind) { console in
      let state = await console.signInRequests().port.makeState()
      let cases: [(String, LoginLedger.Recognition)] = [
        (state, .whole), (state + "x", .unknown), (String(state.dropLast()), .beginning), (String(state.prefix(6)), .beginning),
        (String(state.prefix(5)), .unknown), ("", .unknown), (String(state.dropFirst()), .unknown),
      ]
      for (text, expected) in cases { #expect(await console.signInRequests().port.recognize(text) == expected, "\(text.count)") }
      #expect(await console.signInRequests(device: 1).port.recognize(state) == .unknown)
      driven.advance(by: .seconds(86_401))
      #expect(await console.signInRequests().port.recognize(state) == .unknown)
    }
  }
}
