import Domain
import FoundationEssentials
import Storage
import Support
import Testing
import Vault

@testable import Console

/// The store on both engines.
@Suite(.timeLimit(.minutes(2))) struct BrowserStoreTests {
  let driven = DrivenTime()
  let key = SealingKey.random()

  /// Calls `body` with a store over an empty database, and the database.
  private func withStore(_ kind: StorageEngineKind, _ body: (BrowserStore, any StorageEngine) async throws -> Void) async throws {
    try await kind.withConsole { storage in
      try await body(
        BrowserStore(storage: storage, rows: AccessRows(key: key, logger: nil), wall: driven.time.wall), storage)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aCookieIsValidUntilItsBrowserIsDeleted(kind: StorageEngineKind) async throws {
    try await withStore(kind) { store, _ in
      let (browser, cookie) = try await store.makeBrowser()
      #expect(try await store.browser(cookie: cookie) == browser)
      #expect(try await store.browser(cookie: cookie + "x") == nil)
      driven.advance(by: .seconds(89 * 86_400))
      #expect(try await store.browser(cookie: cookie) == browser)
      driven.advance(by: .seconds(90 * 86_400 + 3601))
      #expect(try await store.browser(cookie: cookie) == nil)
    }
  }

  /// By which a balancer sends all browsers of a person that use a device to one console.
  @Test(arguments: StorageEngineKind.allCases) func theKeysOfADeviceBeginAlikeAndNoOthersDo(kind: StorageEngineKind) async throws
  {
    try await withStore(kind) { store, _ in
      let (browser, _) = try await store.makeBrowser()
      var tags: Set<Substring> = []
      for _ in 0..<3 {
        let (device, first) = try #require(try await store.makeDevice(browserID: browser.id, name: nil))
        let keys = [first, try #require(try await store.makeKey(deviceID: device.id, browserID: browser.id)).key]
        #expect(Set(keys.map { $0.prefix(BrowserStore.keyTagLength) }).count == 1 && keys.allSatisfy { $0.count == 43 })
        #expect(keys[0].dropFirst(BrowserStore.keyTagLength) != keys[1].dropFirst(BrowserStore.keyTagLength))
        tags.insert(first.prefix(BrowserStore.keyTagLength))
      }
      #expect(tags.count == 3)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func theCookieBeforeARotationIsValidForAMinute(kind: StorageEngineKind)
    async throws
  {
    try await withStore(kind) { store, _ in
      let (browser, old) = try await store.makeBrowser()
      // Noted, then read, then as it is held.
      for _ in 1...3 { #expect(try await store.browser(cookie: old) == browser) }
      let new = try await store.rotateCookie(browserID: browser.id)
      for _ in 1...3 { #expect(try await store.browser(cookie: new) == browser) }
      driven.advance(by: .seconds(59))
      #expect(try await store.browser(cookie: old) == browser)
      driven.advance(by: .seconds(1))
      #expect(try await store.browser(cookie: old) == nil)
      #expect(try await store.browser(cookie: new) == browser)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aClockSetBackDoesNotExtendAnOldCookie(kind: StorageEngineKind) async throws {
    try await withStore(kind) { store, storage in
      let (browser, old) = try await store.makeBrowser()
      let day = TimeInterval(86_400)
      let later = BrowserStore(
        storage: storage, rows: AccessRows(key: key, logger: nil), wall: { driven.wall.addingTimeInterval(day) })
      #expect(try await later.browser(cookie: old) == browser)
      let new = try await later.rotateCookie(browserID: browser.id)
      #expect(try await later.browser(cookie: new) == browser)
      #expect(try await later.browser(cookie: old) == browser, "for a minute")
      #expect(try await store.browser(cookie: old) == nil)
      #expect(try await store.browser(cookie: new) == browser)
    }
  }

  /// Two consoles on one database.
  @Test(arguments: StorageEngineKind.allCases) func aCookieThatAnotherConsoleReplacedEndsHereToo(kind: StorageEngineKind)
    async throws
  {
    try await withStore(kind) { store, storage in
      let other = BrowserStore(storage: storage, rows: AccessRows(key: key, logger: nil), isShared: true, wall: driven.time.wall)
      let (browser, old) = try await store.makeBrowser()
      for _ in 1...3 { #expect(try await other.browser(cookie: old) == browser) }
      let new = try await store.rotateCookie(browserID: browser.id)
      #expect(try await store.browser(cookie: new) == browser)
      driven.advance(by: .seconds(61))
      #expect(try await other.browser(cookie: old) == nil)
      #expect(try await other.browser(cookie: new) == browser)
    }
  }

  /// A page that reads that its device is unknown forgets the key.
  @Test(arguments: StorageEngineKind.allCases) func aDeviceThatAnotherConsoleMovedIsKnownHereToo(kind: StorageEngineKind)
    async throws
  {
    try await withStore(kind) { store, storage in
      let other = BrowserStore(storage: storage, rows: AccessRows(key: key, logger: nil), isShared: true, wall: driven.time.wall)
      let (before, _) = try await store.makeBrowser()
      let (device, key) = try #require(try await store.makeDevice(browserID: before.id, name: nil))
      #expect(try await other.device(key: key, browserID: before.id) == device)
      let cookie = try #require(try await store.recoverBrowser(keys: [key]).cookie)
      let after = try #require(try await other.browser(cookie: cookie))
      #expect(try await other.device(key: key, browserID: after.id)?.id == device.id)
      #expect(try await other.device(key: key)?.browserID == after.id)
      #expect(try await other.device(key: key, browserID: before.id) == nil)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func theBrowserThatLostADeviceElsewhereReachesItNoMore(kind: StorageEngineKind)
    async throws
  {
    try await withStore(kind) { store, storage in
      let other = BrowserStore(storage: storage, rows: AccessRows(key: key, logger: nil), isShared: true, wall: driven.time.wall)
      let (before, _) = try await store.makeBrowser()
      let (device, key) = try #require(try await store.makeDevice(browserID: before.id, name: nil))
      #expect(try await other.device(key: key, browserID: before.id) == device)
      _ = try await store.recoverBrowser(keys: [key])
      driven.advance(by: .seconds(6))
      #expect(try await other.device(key: key, browserID: before.id) == nil)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aRotationWhoseAnswerIsLostChangesNothing(kind: StorageEngineKind) async throws
  {
    try await withStore(kind) { store, _ in
      let (browser, old) = try await store.makeBrowser()
      #expect(try await store.browser(cookie: old) == browser)
      _ = try await store.rotateCookie(browserID: browser.id)
      driven.advance(by: .seconds(3600))
      #expect(try await store.browser(cookie: old) == browser)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func afterConcurrentRotationsEveryCookieIsValid(kind: StorageEngineKind)
    async throws
  {
    try await withStore(kind) { store, _ in
      let (browser, old) = try await store.makeBrowser()
      #expect(try await store.browser(cookie: old) == browser)
      var cookies: [String] = []
      for _ in 1...5 { cookies.append(try await store.rotateCookie(browserID: browser.id)) }
      for cookie in cookies.shuffled() { #expect(try await store.browser(cookie: cookie) == browser) }
      driven.advance(by: .seconds(61))
      #expect(try await store.browser(cookie: old) == nil)
      var working = 0
      for cookie in cookies where try await store.browser(cookie: cookie) != nil { working += 1 }
      #expect(working == 1)
    }
  }

  /// Also of those that were made at the same instant.
  @Test(arguments: StorageEngineKind.allCases) func onlyNewestUnsentCookiesAreKept(kind: StorageEngineKind)
    async throws
  {
    try await withStore(kind) { store, storage in
      let (browser, old) = try await store.makeBrowser()
      #expect(try await store.browser(cookie: old) == browser)
      let forgotten = try await store.rotateCookie(browserID: browser.id)
      driven.advance(by: .seconds(1))
      var newest = ""
      for _ in 1...BrowserStore.deviceLimit + 5 { newest = try await store.rotateCookie(browserID: browser.id) }
      let unsent = try await storage.read { try $0.number("SELECT count(*) FROM browser_cookie WHERE is_presented = 0") }
      #expect(unsent == Int64(BrowserStore.deviceLimit))
      #expect(try await store.browser(cookie: forgotten) == nil)
      #expect(try await store.browser(cookie: newest) == browser)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func devicesMoveToAnotherBrowserAndEmptyOnesGo(kind: StorageEngineKind)
    async throws
  {
    try await withStore(kind) { store, _ in
      let ((one, emptied), (two, cookie)) = (try await store.makeBrowser(), try await store.makeBrowser())
      let (lost, key) = try #require(try await store.makeDevice(browserID: one.id, name: "Lost"))
      let (moved, movedKey) = try #require(try await store.makeDevice(browserID: two.id, name: "Moved"))
      let (stays, _) = try #require(try await store.makeDevice(browserID: two.id, name: "Stays"))
      #expect(try await store.device(key: key) == lost)
      #expect(try await store.device(key: key + "x") == nil)
      let recovered = try await store.recoverBrowser(keys: [key, "unknown", movedKey])
      #expect(recovered.devices.map { $0?.id } == [lost.id, nil, moved.id])
      let fresh = try #require(recovered.cookie)
      let new = try #require(try await store.browser(cookie: fresh))
      #expect(Set(try await store.devices(browserID: new.id).map(\.id)) == [lost.id, moved.id])
      #expect(try await store.device(key: key, browserID: new.id)?.name == "Lost")
      #expect(try await store.device(key: key, browserID: one.id) == nil)
      #expect(try await store.devices(browserID: two.id) == [stays])
      #expect(try await store.browser(cookie: cookie) == two, "it still has a device")
      #expect(try await store.browser(cookie: emptied) == nil)
      let none = try await store.recoverBrowser(keys: ["unknown"])
      #expect(none.devices == [nil] && none.cookie == nil)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func browsersAndDevicesAreCounted(kind: StorageEngineKind) async throws {
    try await withStore(kind) { store, storage in
      let none = await store.counts()
      #expect(none.browsersWithoutSession == 0 && none.devices == 0)
      let ((one, _), (two, _)) = (try await store.makeBrowser(), try await store.makeBrowser())
      var ids: [String] = []
      for browser in [one, one, two] {
        ids.append(try #require(try await store.makeDevice(browserID: browser.id, name: nil)).0.id)
      }
      try await storage.write { [ids] in
        try $0.execute("INSERT INTO client_token (device_id, backend_id, sealed) VALUES (?, 'b1', ?)", ids[2], [0 as UInt8])
      }
      let counts = await store.counts()
      #expect(counts.browsersWithoutSession == 1 && counts.devices == 2)
      #expect(try await BrowserStore.deviceIDs(in: storage) == Set(ids))
      #expect(try await store.holdsSession(browserID: two.id, backendID: "b1"))
      #expect(try await !store.holdsSession(browserID: two.id, backendID: "b2"))
      #expect(try await !store.holdsSession(browserID: one.id, backendID: "b1"))
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aKeyIsValidOnlyWithItsBrowser(kind: StorageEngineKind) async throws {
    try await withStore(kind) { store, _ in
      let (mine, _) = try await store.makeBrowser()
      let (other, _) = try await store.makeBrowser()
      let (device, key) = try #require(try await store.makeDevice(browserID: mine.id, name: "Pixel"))
      #expect(try await store.device(key: key, browserID: mine.id) == device)
      #expect(try await store.device(key: key, browserID: other.id) == nil)
      #expect(try await store.device(key: "", browserID: mine.id) == nil)
      try await store.deleteDevice(id: device.id)
      #expect(try await store.device(key: key, browserID: mine.id) == nil)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aBrowserHasAtMostTwentyDevices(kind: StorageEngineKind) async throws {
    try await withStore(kind) { store, _ in
      let (browser, _) = try await store.makeBrowser()
      for number in 1...20 {
        let made = try #require(try await store.makeDevice(browserID: browser.id, name: nil))
        #expect(made.0.name == "Phone \(number)")
      }
      #expect(try await store.makeDevice(browserID: browser.id, name: nil) == nil)
      #expect(try await store.devices(browserID: browser.id).count == 20)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func neitherCookieNorKeyIsStored(kind: StorageEngineKind) async throws {
    try await withStore(kind) { store, storage in
      let (browser, cookie) = try await store.makeBrowser()
      let (_, key) = try #require(try await store.makeDevice(browserID: browser.id, name: nil))
      let kept = try await storage.read { transaction in
        "\(try transaction.rows("SELECT * FROM browser JOIN browser_cookie USING (browser_id)"))"
          + "\(try transaction.rows("SELECT * FROM device"))"
      }
      #expect(kept.contains(browser.id))
      #expect(!kept.contains(cookie) && !kept.contains(key))
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func tooManyBrowsersWithoutASessionAreDeletedOldestFirst(kind: StorageEngineKind)
    async throws
  {
    try await withStore(kind) { store, storage in
      let (signedIn, _) = try await store.makeBrowser()
      let device = try #require(try await store.makeDevice(browserID: signedIn.id, name: nil)).0
      let (unseen, cookie) = try await store.makeBrowser()
      let forgotten = try #require(try await store.makeDevice(browserID: unseen.id, name: nil)).0
      let now = driven.wall.timeIntervalSince1970
      try await storage.write { transaction in
        try transaction.execute(
          "INSERT INTO client_token (device_id, backend_id, sealed) VALUES (?, 'b1', ?)", device.id, [0 as UInt8])
        try transaction.execute(
          """
          WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?)
          INSERT INTO browser (browser_id, seen_at) SELECT 'crowd ' || n, ? + n FROM number
          """, BrowserStore.browserLimit, now)
      }
      _ = try await store.makeBrowser()
      let count = try await storage.read { try $0.number("SELECT count(*) FROM browser") }
      #expect(count == Int64(BrowserStore.browserLimit + 2), "the limit, the one with a session, and the new one")
      #expect(try await store.device(id: device.id) != nil, "nobody is signed out")
      #expect(try await store.browser(cookie: cookie) == nil)
      #expect(try await store.device(id: forgotten.id) == nil)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aDeletedBrowserLeavesNoTokens(kind: StorageEngineKind) async throws {
    try await withStore(kind) { store, storage in
      let (browser, _) = try await store.makeBrowser()
      let device = try #require(try await store.makeDevice(browserID: browser.id, name: nil)).0
      try await storage.write {
        try $0.execute("INSERT INTO client_token (device_id, backend_id, sealed) VALUES (?, 'b1', ?)", device.id, [0 as UInt8])
      }
      driven.advance(by: .seconds(91 * 86_400))
      _ = try await store.makeBrowser()
      #expect(try await storage.read { try $0.number("SELECT count(*) FROM client_token") } == 0)
    }
  }
}
