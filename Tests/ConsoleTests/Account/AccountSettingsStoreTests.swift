import Domain
import Storage
import Support
import Testing
import Vault

@testable import Console

/// The store on both engines.
@Suite(.timeLimit(.minutes(2))) struct AccountSettingsStoreTests {
  private static let tagKey: [UInt8] = [1, 2, 3]

  /// Calls `body` with the store of a device (0 or 1) and a backend, and with the database.
  private func withStores(
    _ kind: StorageEngineKind,
    _ body: (_ store: (_ device: Int, _ backend: String) -> AccountSettingsStore, BrowserStore, [String]) async throws -> Void
  ) async throws {
    try await kind.withConsole { storage in
      let browsers = BrowserStore(
        storage: storage, rows: AccessRows(key: .random(), logger: nil), wall: DrivenTime().time.wall)
      let (browser, _) = try await browsers.makeBrowser()
      var ids: [String] = []
      for _ in 0...1 { ids.append(try #require(try await browsers.makeDevice(browserID: browser.id, name: nil)).0.id) }
      let devices = ids
      try await body(
        { AccountSettingsStore(storage: storage, tagKey: Self.tagKey, deviceID: devices[$0], backendID: $1) }, browsers, devices)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func analyticsAreOnUntilTheAccountRefuses(kind: StorageEngineKind) async throws {
    try await withStores(kind) { store, _, _ in
      #expect(await store(0, "b").analyticsOptedIn(accountID: "a"))
      #expect(await store(0, "b").analyticsOptedIn(accountID: nil))
      for isOn in [false, false, true, true, false] {
        try await store(0, "b").setAnalyticsOptedIn(accountID: "a", isOn)
        #expect(await store(0, "b").analyticsOptedIn(accountID: "a") == isOn)
      }
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func accountsDevicesAndBackendsAreApart(kind: StorageEngineKind) async throws {
    try await withStores(kind) { store, _, _ in
      try await store(0, "b").setAnalyticsOptedIn(accountID: "a", false)
      #expect(await store(0, "b").analyticsOptedIn(accountID: "other"))
      #expect(await store(1, "b").analyticsOptedIn(accountID: "a"))
      #expect(await store(0, "other").analyticsOptedIn(accountID: "a"))
      #expect(await store(1, "b").analyticsOptedIn(accountID: nil))
      #expect(await store(0, "other").analyticsOptedIn(accountID: nil))
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func theBackendsChoiceAppliesAtALoginAndWhenItChanges(kind: StorageEngineKind)
    async throws
  {
    try await withStores(kind) { store, _, _ in
      let here = store(0, "b")
      func choice() async -> Bool { await here.analyticsOptedIn(accountID: "a") }
      try await here.adopt(false, accountID: "a", loginID: "first")
      #expect(await !choice())
      try await here.setAnalyticsOptedIn(accountID: "a", true)
      try await here.adopt(false, accountID: "a", loginID: "first")
      #expect(await choice(), "the choice made here holds while the backend says the same")
      try await here.adopt(true, accountID: "a", loginID: "first")
      try await here.adopt(false, accountID: "a", loginID: "first")
      #expect(await !choice(), "the backend says something else than before")
      try await here.setAnalyticsOptedIn(accountID: "a", true)
      try await here.adopt(false, accountID: "a", loginID: "second")
      #expect(await !choice(), "a login")
      #expect(await here.analyticsOptedIn(accountID: "other"))
      #expect(await store(1, "b").analyticsOptedIn(accountID: "a"))
    }
  }

  /// The account may be any of those that were on the device.
  @Test(arguments: StorageEngineKind.allCases) func anAccountThatIsNotKnownYetCountsAsOneThatRefused(kind: StorageEngineKind)
    async throws
  {
    try await withStores(kind) { store, _, _ in
      try await store(0, "b").setAnalyticsOptedIn(accountID: "one", true)
      #expect(await store(0, "b").analyticsOptedIn(accountID: nil))
      try await store(0, "b").setAnalyticsOptedIn(accountID: "two", false)
      #expect(await !store(0, "b").analyticsOptedIn(accountID: nil))
      #expect(await store(0, "b").analyticsOptedIn(accountID: "one"))
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func noAccountIsStoredByItsID(kind: StorageEngineKind) async throws {
    try await withStores(kind) { store, browsers, _ in
      try await store(0, "b").setAnalyticsOptedIn(accountID: "account-of-dana", false)
      let kept = try await browsers.storage.read { "\(try $0.rows("SELECT * FROM account_setting"))" }
      #expect(!kept.isEmpty && !kept.contains("dana"))
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aDeletedDeviceLeavesNoSetting(kind: StorageEngineKind) async throws {
    try await withStores(kind) { store, browsers, devices in
      try await store(0, "b").setAnalyticsOptedIn(accountID: "a", false)
      try await store(1, "b").setAnalyticsOptedIn(accountID: "a", false)
      try await browsers.deleteDevice(id: devices[0])
      let left = try await browsers.storage.read {
        try $0.rows("SELECT device_id FROM account_setting").map { try $0.text("device_id") }
      }
      #expect(left == [devices[1]])
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aDatabaseThatFailsKeepsNothingAndCountsAsRefused(kind: StorageEngineKind)
    async throws
  {
    try await withStores(kind) { store, browsers, _ in
      try await store(0, "b").setAnalyticsOptedIn(accountID: "a", true)
      try await browsers.storage.write { try $0.run(script: "DROP TABLE account_setting") }
      #expect(await !store(0, "b").analyticsOptedIn(accountID: "a"))
      await #expect(throws: AccountError.storageFull) { try await store(0, "b").setAnalyticsOptedIn(accountID: "a", true) }
    }
  }
}
