import Domain
import Storage
import Support
import Team
import Testing
import Vault

@testable import Console

/// Devices that come along to a person or another browser.
@Suite(.timeLimit(.minutes(2))) struct DeviceMoveTests {
  private let driven = DrivenTime()

  private func withScene(_ kind: StorageEngineKind, _ body: (PersonScene) async throws -> Void) async throws {
    try await kind.withConsole { try await body(try PersonScene($0, key: .random(), wall: driven.time.wall)) }
  }

  /// Between the read of a device and the move, another has taken it.
  @Test(arguments: StorageEngineKind.allCases) func whatMovedMeanwhileStays(kind: StorageEngineKind) async throws {
    try await withScene(kind) { scene in
      let store = scene.store
      let ann = try await scene.visit("ann")
      let ben = try await scene.visit("ben")
      let (browser, _) = try await store.makeBrowser()
      let (taken, key) = try #require(try await store.makeDevice(browserID: browser.id, name: nil))
      let (left, _) = try #require(try await store.makeDevice(browserID: browser.id, name: nil))
      #expect(try await store.recoverBrowser(keys: [key], person: ann).devices.map { $0?.id } == [taken.id])
      #expect(try await store.move([taken, left], to: ben.browser) == [left.id])
      #expect(try await store.devices(browserID: ann.id).map(\.id) == [taken.id])
      // Nor does a person's, even if it was read when it already was theirs, and a person without a device stays a person.
      let current = try #require(try await store.device(id: taken.id))
      #expect(try await store.move([current], to: ben.browser).isEmpty)
      try await store.deleteDevice(id: taken.id)
      #expect(try await store.move([current], to: ben.browser).isEmpty)
      #expect(try await scene.persons.person(id: ann.id) != nil)
      // A browser that got nothing is not kept.
      let (empty, _) = try await store.makeBrowser()
      #expect(try await store.move([taken], to: empty).isEmpty)
      let kept = try await scene.storage.read { try $0.number("SELECT count(*) FROM browser WHERE browser_id = ?", empty.id) }
      #expect(kept == 0)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aPersonNeverHasMoreDevicesThanTheLimit(kind: StorageEngineKind) async throws {
    try await withScene(kind) { scene in
      let ann = try await scene.visit("ann")
      var own: [String] = []
      for _ in 2..<BrowserStore.deviceLimit {
        own.append(try #require(try await scene.store.makeDevice(browserID: ann.id, name: nil)).key)
      }
      let (browser, _) = try await scene.store.makeBrowser()
      var keys: [String] = []
      for _ in 0..<4 { keys.append(try #require(try await scene.store.makeDevice(browserID: browser.id, name: nil)).key) }
      let (devices, _) = try await scene.store.recoverBrowser(keys: own.prefix(3) + keys, person: ann)
      #expect(devices.map { $0 != nil } == [true, true, true, true, true, false, false])
      #expect(try await scene.store.devices(browserID: ann.id).count == BrowserStore.deviceLimit)
      #expect(try await scene.store.devices(browserID: browser.id).count == 2)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aPersonTakesOnesOwnDevicesAlong(kind: StorageEngineKind) async throws {
    try await withScene(kind) { scene in
      let (browser, cookie) = try await scene.store.makeBrowser()
      let (record, key) = try #require(try await scene.store.makeDevice(browserID: browser.id, name: nil))
      let ann = try await scene.visit("ann")
      let ben = try await scene.visit("ben")
      let (devices, made) = try await scene.store.recoverBrowser(keys: [key], person: ann)
      #expect(devices.map { $0?.id } == [record.id] && made == nil)
      #expect(try await scene.store.device(key: key, browserID: ann.id)?.id == record.id)
      #expect(try await scene.store.browser(cookie: cookie) == nil)
      for thief in [ben, nil] {
        let (taken, _) = try await scene.store.recoverBrowser(keys: [key], person: thief)
        #expect(taken == [nil])
      }
      #expect(try await scene.store.recoverBrowser(keys: [key], person: ann).devices.map { $0?.id } == [record.id])
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aDeviceKeepsItsNewestKeys(kind: StorageEngineKind) async throws {
    try await withScene(kind) { scene in
      let ann = try await scene.visit("ann")
      let (record, first) = try #require(try await scene.store.makeDevice(browserID: ann.id, name: nil))
      var keys: [String] = []
      for _ in 0...BrowserStore.keyLimit {
        driven.advance(by: .seconds(1))
        keys.append(try #require(try await scene.store.makeKey(deviceID: record.id, browserID: ann.id)).key)
      }
      #expect(try await scene.store.device(key: keys[0], browserID: ann.id) == nil)
      for key in keys.dropFirst() + [first] {
        #expect(try await scene.store.device(key: key, browserID: ann.id)?.id == record.id)
      }
      try await scene.storage.write { try $0.execute("UPDATE device_key SET made_at = made_at + 1") }
      let later = BrowserStore(storage: scene.storage, rows: scene.store.rows, wall: driven.time.wall)
      #expect(try await later.device(key: keys[5], browserID: ann.id) == nil)
      try await scene.store.deleteDevice(id: record.id)
      #expect(try await scene.storage.read { try $0.number("SELECT count(*) FROM device_key") } == 0)
    }
  }
}
