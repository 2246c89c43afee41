import Domain
import Foundation
import Logging
import Storage
import Support
import Team
import Testing
import Vault

@testable import Console

/// Changes that somebody else makes in the database grant nothing, on either engine.
@Suite(.timeLimit(.minutes(2))) struct AccessRowsTests {
  /// A browser with its cookie, and a device with its key.
  struct Caller: Sendable {
    let browser: BrowserStore.Browser
    let cookie: String
    let device: BrowserStore.DeviceRecord
    let key: String
  }

  /// A database with two callers, and a process that has recognised nobody yet.
  struct Console {
    let driven = DrivenTime()
    let key = SealingKey.random()
    let log = CapturedLog()
    let storage: any StorageEngine
    let store: BrowserStore
    let mine: Caller
    let other: Caller

    init(_ storage: any StorageEngine) async throws {
      self.storage = storage
      let writer = BrowserStore(storage: storage, rows: AccessRows(key: key, logger: nil), wall: driven.time.wall)
      func caller() async throws -> Caller {
        let (browser, cookie) = try await writer.makeBrowser()
        let (device, key) = try #require(try await writer.makeDevice(browserID: browser.id, name: nil))
        // Presented, so that the next reading changes nothing.
        _ = try await writer.browser(cookie: cookie)
        return Caller(browser: browser, cookie: cookie, device: device, key: key)
      }
      mine = try await caller()
      other = try await caller()
      store = BrowserStore(storage: storage, rows: AccessRows(key: key, logger: log.logger()), wall: driven.time.wall)
    }

    /// A process that has recognised nobody yet.
    func fresh(_ key: SealingKey? = nil) -> BrowserStore {
      BrowserStore(storage: storage, rows: AccessRows(key: key ?? self.key, logger: nil), wall: driven.time.wall)
    }

    /// Changes rows as somebody else would.
    func run(_ sql: String, _ arguments: any StorageConvertible & Sendable...) async throws {
      let arguments = arguments.map(\.storageValue)
      let changed = try await storage.write { try $0.execute(sql, arguments) }
      #expect(changed > 0)
    }

    /// Whether the process recognises a caller.
    func admits(_ caller: Caller) async throws -> Bool {
      guard let browser = try await store.browser(cookie: caller.cookie) else { return false }
      return try await store.device(key: caller.key, browserID: browser.id) == caller.device
    }
  }

  private func withConsole(_ kind: StorageEngineKind, _ body: (Console) async throws -> Void) async throws {
    try await kind.withConsole { try await body(Console($0)) }
  }

  private func hash(_ secret: String) -> [UInt8] { Array(SHA256Digest.hash(Array(secret.utf8))) }

  @Test(arguments: StorageEngineKind.allCases) func rowsOfTheConsoleAreValid(kind: StorageEngineKind) async throws {
    try await withConsole(kind) { console in
      let mine = try await console.admits(console.mine)
      let other = try await console.admits(console.other)
      #expect(mine && other && console.log.lines.isEmpty)
    }
  }

  @Test(arguments: StorageEngineKind.allCases, [[], [UInt8](repeating: 7, count: 32), nil])
  func anInsertedCookieIsInvalid(kind: StorageEngineKind, mac: [UInt8]?) async throws {
    try await withConsole(kind) { console in
      try await console.run(
        "INSERT INTO browser_cookie (cookie_hash, browser_id, made_at, is_presented, mac) VALUES (?, ?, 0, 1, ?)",
        hash("planted"), console.mine.browser.id, mac)
      #expect(try await console.store.browser(cookie: "planted") == nil)
      #expect(try await console.admits(console.mine))
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aCopiedSignatureIsInvalid(kind: StorageEngineKind) async throws {
    try await withConsole(kind) { console in
      try await console.run(
        """
        INSERT INTO browser_cookie (cookie_hash, browser_id, made_at, is_presented, mac)
        VALUES (?, ?, 0, 1, (SELECT mac FROM browser_cookie LIMIT 1))
        """, hash("planted"), console.mine.browser.id)
      #expect(try await console.store.browser(cookie: "planted") == nil)
      #expect(try await console.admits(console.mine))
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aReplacedKeyLeadsToNoDevice(kind: StorageEngineKind) async throws {
    try await withConsole(kind) { console in
      let mine = console.mine
      let store = console.store
      try await console.run("UPDATE device SET key_hash = ? WHERE device_id = ?", hash("planted"), mine.device.id)
      #expect(try await store.device(key: "planted", browserID: mine.browser.id) == nil)
      #expect(try await store.device(id: mine.device.id) == nil)
      #expect(try await store.devices(browserID: mine.browser.id).isEmpty)
      #expect(try await console.admits(console.other))
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aRowMovedToAnotherBrowserIsInvalid(kind: StorageEngineKind) async throws {
    try await withConsole(kind) { console in
      let mine = console.mine
      let other = console.other
      try await console.run("UPDATE device SET browser_id = ? WHERE device_id = ?", other.browser.id, mine.device.id)
      #expect(try await console.store.device(key: mine.key, browserID: other.browser.id) == nil)
      try await console.run("UPDATE browser_cookie SET browser_id = ? WHERE browser_id = ?", mine.browser.id, other.browser.id)
      #expect(try await console.store.browser(cookie: other.cookie) == nil)
    }
  }

  @Test(
    arguments: StorageEngineKind.allCases,
    [
      "UPDATE browser_cookie SET works_until = NULL", "UPDATE browser_cookie SET works_until = works_until + 1",
      "UPDATE browser_cookie SET is_presented = 2", "UPDATE browser_cookie SET made_at = made_at + 1",
      "UPDATE browser SET seen_at = seen_at + 1", "UPDATE browser SET mac = NULL",
    ])
  func aChangedCookieIsInvalid(kind: StorageEngineKind, sql: String) async throws {
    try await withConsole(kind) { console in
      let writer = console.fresh()
      let mine = console.mine
      let new = try await writer.rotateCookie(browserID: mine.browser.id)
      #expect(try await writer.browser(cookie: new) == mine.browser)
      #expect(try await console.store.browser(cookie: mine.cookie) == mine.browser, "for its last minute")
      try await console.run(sql)
      #expect(try await console.fresh().browser(cookie: mine.cookie) == nil)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aChangeByTheConsoleSignsOnlyItsOwnRows(kind: StorageEngineKind) async throws {
    try await withConsole(kind) { console in
      try await console.run(
        "INSERT INTO browser_cookie (cookie_hash, browser_id, made_at, is_presented) VALUES (?, ?, 0, 1)", hash("planted"),
        console.mine.browser.id)
      let new = try await console.store.rotateCookie(browserID: console.mine.browser.id)
      #expect(try await console.store.browser(cookie: new) == console.mine.browser)
      #expect(try await console.store.browser(cookie: "planted") == nil)
    }
  }

  @Test(
    arguments: StorageEngineKind.allCases,
    [
      (event: "INSERT", name: "INSERT ON browser_cookie"), (event: "UPDATE", name: "UPDATE OF is_presented ON browser_cookie"),
    ])
  func changesByATriggerAreNotSigned(kind: StorageEngineKind, trigger: (event: String, name: String)) async throws {
    try await withConsole(kind) { console in
      let mine = console.mine
      let other = console.other
      let change = "BEGIN UPDATE browser_cookie SET browser_id = '\(mine.browser.id)' WHERE cookie_hash = NEW.cookie_hash;"
      try await console.storage.write { transaction in
        switch kind {
        case .sqlite: try transaction.run(script: "CREATE TRIGGER planted AFTER \(trigger.name) \(change) END")
        case .postgreSQL:
          try transaction.run(
            script: """
              CREATE FUNCTION plant() RETURNS trigger LANGUAGE plpgsql AS $$ \(change) RETURN NULL; END $$;
              CREATE TRIGGER planted AFTER \(trigger.name) FOR EACH ROW EXECUTE FUNCTION plant()
              """)
        }
      }
      let cookie = try await console.store.rotateCookie(browserID: other.browser.id)
      let first = try await console.store.browser(cookie: cookie)
      #expect(first == nil || first == other.browser)
      #expect(try await console.store.browser(cookie: cookie) == nil)
      #expect(try await console.admits(mine))
    }
  }

  /// A repeated call reads no row and checks no signature.
  @Test(arguments: StorageEngineKind.allCases) func cachedCredentialsAreNotReadAgain(kind: StorageEngineKind) async throws {
    try await withConsole(kind) { console in
      #expect(try await console.admits(console.mine))
      try await console.run("UPDATE device SET mac = NULL")
      try await console.run("UPDATE browser_cookie SET mac = NULL")
      #expect(try await console.admits(console.mine))
      #expect(try await !console.admits(console.other))
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func theLogReportsARowOnceWithoutItsContent(kind: StorageEngineKind) async throws {
    try await withConsole(kind) { console in
      try await console.run("UPDATE device SET name = ? WHERE device_id = ?", "planted\ntext", console.mine.device.id)
      for _ in 1...3 { #expect(try await console.store.devices(browserID: console.mine.browser.id).isEmpty) }
      let line = try #require(console.log.lines.first)
      #expect(console.log.lines.count == 1 && line.level == .error)
      #expect(line.metadata["table"] == "device")
      let row = try #require(line.metadata["row"])
      #expect(row.count == 8 && row.allSatisfy(\.isHexDigit))
    }
  }

  /// Somebody else may choose every text and byte of a row, also those of its key.
  @Test func theLogSaysNothingOfAKeyThatAStrangerChose() async throws {
    try await withConsole(.sqlite) { console in
      for id in ["planted\ntext", "planted\nother"] {
        try await console.run(
          "INSERT INTO device (device_id, browser_id, key_hash, name, created_at) VALUES (?, ?, ?, 'n', 0)", id,
          console.mine.browser.id, hash(id))
      }
      _ = try await console.store.devices(browserID: console.mine.browser.id)
      let rows = console.log.lines.compactMap { $0.metadata["row"] }
      #expect(Set(rows).count == 2 && rows.allSatisfy { $0.count == 8 && $0.allSatisfy(\.isHexDigit) }, "rows are told apart")
      #expect(!"\(console.log.lines)".contains("planted"))
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func rotationSignsOnlyValidRows(kind: StorageEngineKind) async throws {
    try await withConsole(kind) { console in
      let mine = console.mine
      let other = console.other
      let storage = console.storage
      let tagKey = try await KeyRotation.tagKey(storage, key: console.key, voiding: PersonSchema.voiding)
      try await console.run("UPDATE device SET key_hash = ? WHERE device_id = ?", hash("planted"), other.device.id)
      let new = SealingKey.random()
      #expect(try await KeyRotation.reseal(storage, from: console.key, to: new) == 1)
      #expect(try await KeyRotation.tagKey(storage, key: new, voiding: PersonSchema.voiding) == tagKey)
      let fresh = console.fresh(new)
      #expect(try await fresh.browser(cookie: mine.cookie) == mine.browser)
      #expect(try await fresh.device(key: mine.key, browserID: mine.browser.id) == mine.device)
      #expect(try await fresh.device(key: "planted", browserID: other.browser.id) == nil)
      #expect(try await console.store.browser(cookie: mine.cookie) == nil, "the old key knows nobody any more")
    }
  }
}

/// SQLite stores any type in most of the console's columns.
extension AccessRowsTests {
  @Test func aSignatureOfAnotherTypeIsInvalid() async throws {
    try await withConsole(.sqlite) { console in
      try await console.run("UPDATE browser_cookie SET mac = 'text' WHERE browser_id = ?", console.mine.browser.id)
      #expect(try await console.store.browser(cookie: console.mine.cookie) == nil)
      #expect(try await console.admits(console.other))
    }
  }

  @Test(arguments: ["cookie_hash", "made_at", "is_presented", "works_until"])
  func aValueOfAnotherTypeDoesNotTrap(column: String) async throws {
    try await withConsole(.sqlite) { console in
      try await console.run("UPDATE browser_cookie SET \(column) = x'FF00' WHERE browser_id = ?", console.mine.browser.id)
      #expect(try await console.store.browser(cookie: console.mine.cookie) == nil)
      try await console.run("UPDATE device SET name = x'FF00' WHERE device_id = ?", console.other.device.id)
      #expect(try await console.store.devices(browserID: console.other.browser.id).isEmpty)
    }
  }
}
