import Console
import Domain
import Foundation
import Logging
import Storage
import Support
import Testing
import Vault

/// Changes that somebody else makes in the database grant nothing.
@Suite struct AccessRowsTests {
  let driven = DrivenTime()
  let storage: SQLiteStorage
  let key = SealingKey.random()
  let log = CapturedLog()
  let store: BrowserStore
  let mine: (browser: BrowserStore.Browser, cookie: String, device: BrowserStore.DeviceRecord, key: String)
  let other: (browser: BrowserStore.Browser, cookie: String, device: BrowserStore.DeviceRecord, key: String)

  init() async throws {
    storage = try await ConsoleDatabase.open(path: nil)
    let writer = BrowserStore(storage: storage, rows: AccessRows(key: key, logger: nil), wall: driven.time.wall)
    func caller() async throws -> (BrowserStore.Browser, String, BrowserStore.DeviceRecord, String) {
      let (browser, cookie) = try await writer.makeBrowser()
      let (device, key) = try #require(try await writer.makeDevice(browserID: browser.id, name: nil))
      // Presented, so that the next reading changes nothing.
      _ = try await writer.browser(cookie: cookie)
      return (browser, cookie, device, key)
    }
    mine = try await caller()
    other = try await caller()
    // Another process, which has recognised nobody yet.
    store = BrowserStore(
      storage: storage, rows: AccessRows(key: key, logger: log.logger()),
      wall: driven.time.wall)
  }

  private func run(_ sql: String, _ arguments: any StorageConvertible & Sendable...) async throws {
    let arguments = arguments.map(\.storageValue)
    let changed = try await storage.write { try $0.execute(sql, arguments) }
    #expect(changed > 0)
  }

  private func hash(_ secret: String) -> [UInt8] { Array(SHA256Digest.hash(Array(secret.utf8))) }

  private func admits(_ caller: (browser: BrowserStore.Browser, cookie: String, device: BrowserStore.DeviceRecord, key: String))
    async throws -> Bool
  {
    guard let browser = try await store.browser(cookie: caller.cookie) else { return false }
    return try await store.device(key: caller.key, browserID: browser.id) == caller.device
  }

  @Test func rowsOfTheConsoleAreValid() async throws {
    #expect(try await admits(mine))
    #expect(try await admits(other))
    #expect(log.lines.isEmpty)
  }

  @Test(arguments: ["NULL", "(SELECT mac FROM browser_cookie LIMIT 1)", "randomblob(32)", "x''", "'text'"])
  func anInsertedCookieIsInvalid(mac: String) async throws {
    try await run(
      """
      INSERT INTO browser_cookie (cookie_hash, browser_id, made_at, is_presented, mac) VALUES (?, ?, 0, TRUE, \(mac))
      """, hash("planted"), mine.browser.id)
    #expect(try await store.browser(cookie: "planted") == nil)
    #expect(try await admits(mine))
  }

  @Test func aReplacedKeyLeadsToNoDevice() async throws {
    try await run("UPDATE device SET key_hash = ? WHERE device_id = ?", hash("planted"), mine.device.id)
    #expect(try await store.device(key: "planted", browserID: mine.browser.id) == nil)
    #expect(try await store.device(id: mine.device.id) == nil)
    #expect(try await store.devices(browserID: mine.browser.id).isEmpty)
    #expect(try await admits(other))
  }

  @Test func aRowMovedToAnotherBrowserIsInvalid() async throws {
    try await run("UPDATE device SET browser_id = ? WHERE device_id = ?", other.browser.id, mine.device.id)
    #expect(try await store.device(key: mine.key, browserID: other.browser.id) == nil)
    try await run("UPDATE browser_cookie SET browser_id = ? WHERE browser_id = ?", mine.browser.id, other.browser.id)
    #expect(try await store.browser(cookie: other.cookie) == nil)
  }

  @Test(arguments: [
    "UPDATE browser_cookie SET works_until = NULL", "UPDATE browser_cookie SET works_until = works_until + 1",
    "UPDATE browser_cookie SET is_presented = 2", "UPDATE browser_cookie SET made_at = made_at + 1",
    "UPDATE browser SET seen_at = seen_at + 1", "UPDATE browser SET mac = NULL",
  ])
  func aChangedCookieIsInvalid(sql: String) async throws {
    let writer = BrowserStore(storage: storage, rows: AccessRows(key: key, logger: nil), wall: driven.time.wall)
    let new = try await writer.rotateCookie(browserID: mine.browser.id)
    #expect(try await writer.browser(cookie: new) == mine.browser)
    #expect(try await store.browser(cookie: mine.cookie) == mine.browser, "for its last minute")
    try await run(sql)
    let fresh = BrowserStore(storage: storage, rows: AccessRows(key: key, logger: nil), wall: driven.time.wall)
    #expect(try await fresh.browser(cookie: mine.cookie) == nil)
  }

  @Test func aChangeByTheConsoleSignsOnlyItsOwnRows() async throws {
    try await run(
      "INSERT INTO browser_cookie (cookie_hash, browser_id, made_at, is_presented) VALUES (?, ?, 0, TRUE)",
      hash("planted"), mine.browser.id)
    let new = try await store.rotateCookie(browserID: mine.browser.id)
    #expect(try await store.browser(cookie: new) == mine.browser)
    #expect(try await store.browser(cookie: "planted") == nil)
  }

  @Test(arguments: ["cookie_hash", "made_at", "is_presented", "works_until"])
  func aValueOfAnotherTypeDoesNotTrap(column: String) async throws {
    try await run("UPDATE browser_cookie SET \(column) = x'FF00' WHERE browser_id = ?", mine.browser.id)
    #expect(try await store.browser(cookie: mine.cookie) == nil)
    try await run("UPDATE device SET name = x'FF00' WHERE device_id = ?", other.device.id)
    #expect(try await store.devices(browserID: other.browser.id).isEmpty)
  }

  @Test(arguments: ["INSERT ON browser_cookie", "UPDATE OF is_presented ON browser_cookie"])
  func changesByATriggerAreNotSigned(event: String) async throws {
    try await storage.write { [mine] in
      try $0.run(
        script: """
          CREATE TRIGGER planted AFTER \(event)
          BEGIN UPDATE browser_cookie SET browser_id = '\(mine.browser.id)' WHERE cookie_hash = NEW.cookie_hash; END
          """)
    }
    let cookie = try await store.rotateCookie(browserID: other.browser.id)
    let first = try await store.browser(cookie: cookie)
    #expect(first == nil || first == other.browser)
    #expect(try await store.browser(cookie: cookie) == nil)
    #expect(try await admits(mine))
  }

  /// A repeated call reads no row and checks no signature.
  @Test func cachedCredentialsAreNotReadAgain() async throws {
    #expect(try await admits(mine))
    try await run("UPDATE device SET mac = NULL")
    try await run("UPDATE browser_cookie SET mac = NULL")
    #expect(try await admits(mine))
    #expect(try await !admits(other))
  }

  @Test func theLogReportsARowOnceWithoutItsContent() async throws {
    try await run("UPDATE device SET name = 'planted' || char(10) || 'text' WHERE device_id = ?", mine.device.id)
    for _ in 1...3 { #expect(try await store.devices(browserID: mine.browser.id).isEmpty) }
    try #require(log.lines.count == 1)
    #expect(log.lines[0].level == .error)
    #expect(log.lines[0].metadata["table"] == "device")
    let row = try #require(log.lines[0].metadata["row"])
    #expect(row.count == 8 && row.allSatisfy(\.isHexDigit))
  }

  @Test func rotationSignsOnlyValidRows() async throws {
    let tagKey = try await KeyRotation.tagKey(storage, key: key)
    try await run("UPDATE device SET key_hash = ? WHERE device_id = ?", hash("planted"), other.device.id)
    let new = SealingKey.random()
    #expect(try await KeyRotation.reseal(storage, from: key, to: new) == 1)
    #expect(try await KeyRotation.tagKey(storage, key: new) == tagKey)
    let fresh = BrowserStore(storage: storage, rows: AccessRows(key: new, logger: nil), wall: driven.time.wall)
    #expect(try await fresh.browser(cookie: mine.cookie) == mine.browser)
    #expect(try await fresh.device(key: mine.key, browserID: mine.browser.id) == mine.device)
    #expect(try await fresh.device(key: "planted", browserID: other.browser.id) == nil)
    #expect(try await store.browser(cookie: mine.cookie) == nil, "the old key knows nobody any more")
  }
}
