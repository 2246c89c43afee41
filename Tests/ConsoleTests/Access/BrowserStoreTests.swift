import Console
import Domain
import FoundationEssentials
import Storage
import Support
import Testing
import Vault

@Suite struct BrowserStoreTests {
  let driven = DrivenTime()
  let storage: SQLiteStorage
  let key = SealingKey.random()
  let store: BrowserStore

  init() async throws {
    storage = try await ConsoleDatabase.open(path: nil)
    store = BrowserStore(storage: storage, rows: AccessRows(key: key, logger: nil), wall: driven.time.wall)
  }

  @Test func aCookieIsValidUntilItsBrowserIsDeleted() async throws {
    let (browser, cookie) = try await store.makeBrowser()
    #expect(try await store.browser(cookie: cookie) == browser)
    #expect(try await store.browser(cookie: cookie + "x") == nil)
    driven.advance(by: .seconds(89 * 86_400))
    #expect(try await store.browser(cookie: cookie) == browser)
    driven.advance(by: .seconds(90 * 86_400 + 3601))
    #expect(try await store.browser(cookie: cookie) == nil)
  }

  @Test func theCookieBeforeARotationIsValidForAMinute() async throws {
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

  @Test func aClockSetBackDoesNotExtendAnOldCookie() async throws {
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

  /// Two consoles on one database.
  @Test func aCookieThatAnotherConsoleReplacedEndsHereToo() async throws {
    let other = BrowserStore(storage: storage, rows: AccessRows(key: key, logger: nil), isShared: true, wall: driven.time.wall)
    let (browser, old) = try await store.makeBrowser()
    for _ in 1...3 { #expect(try await other.browser(cookie: old) == browser) }
    let new = try await store.rotateCookie(browserID: browser.id)
    #expect(try await store.browser(cookie: new) == browser)
    driven.advance(by: .seconds(61))
    #expect(try await other.browser(cookie: old) == nil)
    #expect(try await other.browser(cookie: new) == browser)
  }

  @Test func aRotationWhoseAnswerIsLostChangesNothing() async throws {
    let (browser, old) = try await store.makeBrowser()
    #expect(try await store.browser(cookie: old) == browser)
    _ = try await store.rotateCookie(browserID: browser.id)
    driven.advance(by: .seconds(3600))
    #expect(try await store.browser(cookie: old) == browser)
  }

  @Test func afterConcurrentRotationsEveryCookieIsValid() async throws {
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

  @Test func aKeyIsValidOnlyWithItsBrowser() async throws {
    let (mine, _) = try await store.makeBrowser()
    let (other, _) = try await store.makeBrowser()
    let (device, key) = try #require(try await store.makeDevice(browserID: mine.id, name: "Pixel"))
    #expect(try await store.device(key: key, browserID: mine.id) == device)
    #expect(try await store.device(key: key, browserID: other.id) == nil)
    #expect(try await store.device(key: "", browserID: mine.id) == nil)
    try await store.deleteDevice(id: device.id)
    #expect(try await store.device(key: key, browserID: mine.id) == nil)
  }

  @Test func aBrowserHasAtMostTwentyDevices() async throws {
    let (browser, _) = try await store.makeBrowser()
    for number in 1...20 {
      let made = try #require(try await store.makeDevice(browserID: browser.id, name: nil))
      #expect(made.0.name == "Phone \(number)")
    }
    #expect(try await store.makeDevice(browserID: browser.id, name: nil) == nil)
    #expect(try await store.devices(browserID: browser.id).count == 20)
  }

  @Test func neitherCookieNorKeyIsStored() async throws {
    let (browser, cookie) = try await store.makeBrowser()
    let (_, key) = try #require(try await store.makeDevice(browserID: browser.id, name: nil))
    let kept = try await storage.read { transaction in
      "\(try transaction.rows("SELECT * FROM browser JOIN browser_cookie USING (browser_id)"))"
        + "\(try transaction.rows("SELECT * FROM device"))"
    }
    #expect(kept.contains(browser.id))
    #expect(!kept.contains(cookie) && !kept.contains(key))
  }

  @Test func tooManyBrowsersWithoutASessionAreDeletedOldestFirst() async throws {
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

  @Test func aDeletedBrowserLeavesNoTokens() async throws {
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
