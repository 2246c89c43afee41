import Console
import Domain
import Foundation
import Storage
import Support
import Testing
import Vault

@Suite struct DeviceLedgerTests {
  let driven = DrivenTime()
  let storage: SQLiteStorage
  let key = SealingKey.random()
  let rows: AccessRows
  let deviceID: String

  init() async throws {
    storage = try await ConsoleDatabase.open(path: nil)
    rows = AccessRows(key: key, logger: nil)
    let store = BrowserStore(storage: storage, rows: rows, wall: driven.time.wall)
    let (browser, _) = try await store.makeBrowser()
    deviceID = try #require(try await store.makeDevice(browserID: browser.id, name: nil)).0.id
  }

  func ledger(backend: String = "b1", key: SealingKey? = nil) -> DeviceLedger {
    DeviceLedger(
      storage: storage, key: key ?? self.key, tagKey: [1, 2, 3], rows: rows, deviceID: deviceID, backendID: backend,
      wall: driven.time.wall)
  }

  @Test func aCooldownOutlivesARestart() async throws {
    let identifier = try Identifier(normalizing: "dana@example.com")
    let retryAt = driven.wall.addingTimeInterval(60)
    #expect(await ledger().port.reserve(identifier, driven.wall.addingTimeInterval(10)) == nil)
    await ledger().port.setRetryAt(identifier, retryAt)
    #expect(await ledger().port.reserve(identifier, driven.wall.addingTimeInterval(10)) == retryAt)
    #expect(try await ledger().cooldowns().map(\.retryAt) == [retryAt])
    #expect(await ledger(backend: "b2").port.reserve(identifier, retryAt) == nil)
    driven.advance(by: .seconds(60))
    #expect(try await ledger().cooldowns().isEmpty)
    #expect(await ledger().port.reserve(identifier, driven.wall.addingTimeInterval(10)) == nil)
  }

  @Test func aClockSetBackDoesNotExtendACooldown() async throws {
    let identifier = try Identifier(normalizing: "dana@example.com")
    let before = driven.wall
    driven.advance(by: .seconds(86_400))
    #expect(await ledger().port.reserve(identifier, driven.wall.addingTimeInterval(10)) == nil)
    await ledger().port.setRetryAt(identifier, driven.wall.addingTimeInterval(60))
    let earlier = DeviceLedger(
      storage: storage, key: key, tagKey: [1, 2, 3], rows: rows, deviceID: deviceID, backendID: "b1",
      wall: { before })
    #expect(try await earlier.cooldowns().map(\.retryAt) == [before.addingTimeInterval(60)])
    #expect(await earlier.port.reserve(identifier, before.addingTimeInterval(10)) == before.addingTimeInterval(60))
    let later = DeviceLedger(
      storage: storage, key: key, tagKey: [1, 2, 3], rows: rows, deviceID: deviceID, backendID: "b1",
      wall: { before.addingTimeInterval(60) })
    #expect(try await later.cooldowns().isEmpty)
    #expect(await later.port.reserve(identifier, before.addingTimeInterval(70)) == nil)
  }

  @Test func onlyOneOfManyConcurrentRequestsStartsACooldown() async throws {
    let identifier = try Identifier(normalizing: "dana@example.com")
    let until = driven.wall.addingTimeInterval(10)
    let taken = await withTaskGroup(of: Bool.self) { group in
      for _ in 1...20 { group.addTask { await ledger().port.reserve(identifier, until) == nil } }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(taken == 1)
  }

  @Test func identifiersAreSealed() async throws {
    let identifier = try Identifier(normalizing: "dana@example.com")
    #expect(await ledger().port.reserve(identifier, driven.wall) == nil)
    #expect(try await ledger().askedIdentifiers() == ["dana@example.com"])
    #expect(try await ledger(key: .random()).askedIdentifiers().isEmpty)
    let row = try #require(try await storage.read { try $0.first("SELECT * FROM asked_identifier") })
    for column in ["device_id", "backend_id", "tag"] { #expect(try !row.text(column).contains("dana")) }
    #expect(Data(try row.bytes("sealed")).range(of: Data("dana".utf8)) == nil)
  }

  @Test func aStateIsKnownForADayOnTheDeviceThatMadeIt() async throws {
    let state = await ledger().port.makeState()
    #expect(await ledger().port.knowsState(state))
    #expect(await !ledger().port.knowsState(state + "x"))
    driven.advance(by: .seconds(86_401))
    #expect(await !ledger().port.knowsState(state))
  }
}
