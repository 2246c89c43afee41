@testable import Client
import Console
import Domain
import Foundation
import GRDB
import RPC
import Storage
import Support
import Team
import Testing
import Vault

/// A console.sqlite of the versions that made it with GRDB's own migrations: everything in it is still accepted.
@Suite(.timeLimit(.minutes(1))) struct EarlierConsoleFileTests {
  private let folder: TemporaryFolder
  private let key = SealingKey.random()
  private var path: String { folder.file("console.sqlite") }

  init() throws { folder = try TemporaryFolder() }

  /// The tables as GRDB made them.
  private static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 devices") { db in
      try db.create(table: "browser") { table in
        table.primaryKey("browser_id", .text)
        table.column("seen_at", .double).notNull()
      }
      try db.create(table: "browser_cookie") { table in
        table.primaryKey("cookie_hash", .blob)
        table.column("browser_id", .text).notNull().indexed().references("browser", onDelete: .cascade)
        table.column("made_at", .double).notNull()
        table.column("is_presented", .boolean).notNull()
        table.column("works_until", .double)
      }
      try db.create(table: "device") { table in
        table.primaryKey("device_id", .text)
        table.column("browser_id", .text).notNull().indexed().references("browser", onDelete: .cascade)
        table.column("key_hash", .blob).notNull().unique()
        table.column("name", .text).notNull()
        table.column("created_at", .double).notNull()
      }
      try db.create(table: "asked_identifier") { table in
        table.column("device_id", .text).notNull().references("device", onDelete: .cascade)
        table.column("backend_id", .text).notNull()
        table.column("tag", .text).notNull()
        table.column("sealed", .blob).notNull()
        table.column("retry_at", .double).notNull()
        table.primaryKey(["device_id", "backend_id", "tag"])
      }
      try db.create(table: "link_state") { table in
        table.column("device_id", .text).notNull().references("device", onDelete: .cascade)
        table.column("state_hash", .blob).notNull()
        table.column("made_at", .double).notNull()
        table.primaryKey(["device_id", "state_hash"])
      }
    }
    migrator.registerMigration("2 tokens") {
      try $0.execute(
        sql: """
          CREATE TABLE client_token (
            device_id TEXT NOT NULL, backend_id TEXT NOT NULL, sealed BLOB NOT NULL,
            updated_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')), PRIMARY KEY (device_id, backend_id)
          ) STRICT, WITHOUT ROWID
          """)
    }
    migrator.registerMigration("3 cues") { try $0.execute(sql: StorageDialect.sqlite.script(CueStore.schema)) }
    migrator.registerMigration("4 account settings") { db in
      try db.create(table: "account_setting") { table in
        table.column("device_id", .text).notNull().references("device", onDelete: .cascade)
        table.column("backend_id", .text).notNull()
        table.column("account_tag", .text).notNull()
        table.column("analytics_opted_in", .boolean).notNull()
        table.primaryKey(["device_id", "backend_id", "account_tag"])
      }
    }
    migrator.registerMigration("5 when a cooldown began") { db in
      try db.alter(table: "asked_identifier") { $0.add(column: "set_at", .double).notNull().defaults(to: 0) }
    }
    migrator.registerMigration("6 key of the tags") { db in
      try db.create(table: "vault_secret") { table in
        table.primaryKey("name", .text)
        table.column("sealed", .blob).notNull()
      }
    }
    migrator.registerMigration("7 signed rows") { db in
      for table in ["browser", "browser_cookie", "device", "link_state"] {
        try db.alter(table: table) { $0.add(column: "mac", .blob) }
      }
    }
    migrator.registerMigration("8 unproven tokens") { _ in }
    migrator.registerMigration("9 tokens of a copy are like others") { _ in }
    return migrator
  }

  private enum Value {
    case integer(Int64), real(Double), text(String), bytes([UInt8]), null
  }

  /// The signature of a row, as those versions made it.
  private func signature(_ table: String, _ values: [Value]) -> Data {
    var message = Array("understudy access row 1\n\(table)\n".utf8)
    func add(_ type: Character, _ number: UInt64) {
      message += Array(String(type).utf8)
      withUnsafeBytes(of: number.bigEndian) { message += $0 }
    }
    for value in values {
      switch value {
      case .null: message += Array("n".utf8)
      case .integer(let number): add("i", UInt64(bitPattern: number))
      case .real(let number): add("d", number.bitPattern)
      case .text(let text):
        add("s", UInt64(text.utf8.count))
        message += Array(text.utf8)
      case .bytes(let bytes):
        add("b", UInt64(bytes.count))
        message += bytes
      }
    }
    return Data(HMAC.sha256(message, key: key.derive("signatures of access rows")))
  }

  private func hash(_ text: String) -> [UInt8] { Array(SHA256Digest.hash(Array(text.utf8))) }

  private static let tagKey = [UInt8](repeating: 9, count: 32)
  private static let tokens = #"{"accessToken":"a","refreshToken":"r","sessionID":"s"}"#
  /// The last step of the version before this one.
  private static let lastStep = "9 tokens of a copy are like others"

  private func seal(_ text: [UInt8], _ place: String) -> Data { Data(key.seal(text, associatedData: Array(place.utf8))) }

  /// Writes a file with a browser, its cookie, and a device with tokens, a cue, a setting, a requested message and a link's state.
  ///
  /// `step` is the last that the version knew which wrote it; with `isUnproven`, the tokens have the column of a version of one day.
  private func fill(now: Double, through step: String = lastStep, isUnproven: Bool = false) throws {
    let database = try DatabaseQueue(path: path)
    try Self.migrator.migrate(database, upTo: step)
    try database.write { db in
      if isUnproven { try db.execute(sql: "ALTER TABLE client_token ADD COLUMN is_unproven INTEGER NOT NULL DEFAULT 0") }
      try db.execute(
        sql: "INSERT INTO vault_secret VALUES ('identifier tags', ?)",
        arguments: [seal(Self.tagKey, "vault_secret\nidentifier tags\nof signed rows")])
      try db.execute(
        sql: "INSERT INTO browser VALUES ('b', ?, ?)", arguments: [now, signature("browser", [.text("b"), .real(now)])])
      let cookie: [Value] = [.bytes(hash("cookie")), .text("b"), .real(now), .integer(1), .null]
      try db.execute(
        sql: "INSERT INTO browser_cookie VALUES (?, 'b', ?, ?, NULL, ?)",
        arguments: [Data(hash("cookie")), now, true, signature("browser_cookie", cookie)])
      let device: [Value] = [.text("d"), .text("b"), .bytes(hash("key")), .text("Phone 1"), .real(now)]
      try db.execute(
        sql: "INSERT INTO device VALUES ('d', 'b', ?, 'Phone 1', ?, ?)",
        arguments: [Data(hash("key")), now, signature("device", device)])
      try db.execute(
        sql: "INSERT INTO client_token (device_id, backend_id, sealed) VALUES ('d', 'backend', ?)",
        arguments: [seal(Array(Self.tokens.utf8), "12:client_token7:backend1:d")])
      try db.execute(
        sql: """
          INSERT INTO asked_identifier (device_id, backend_id, tag, sealed, retry_at, set_at) VALUES ('d', 'backend', 'tag', ?, ?, ?)
          """, arguments: [seal(Array("dana@example.com".utf8), "identifier\nbackend\nd\ntag"), now + 60, now])
      try db.execute(
        sql: "INSERT INTO link_state VALUES ('d', ?, ?, ?)",
        arguments: [
          Data(hash("state")), now, signature("link_state", [.text("d"), .bytes(hash("state")), .real(now)]),
        ])
      try db.execute(sql: "INSERT INTO account_setting VALUES ('d', 'backend', 'tag', ?)", arguments: [false])
      try db.execute(sql: "INSERT INTO cue VALUES ('d', 'backend', 'u', 'c', 'p', 'prompt', 'answer', 'new', 0, 5)")
      try db.execute(sql: "INSERT INTO cue_list VALUES ('d', 'backend', 'u', 'p', 6)")
    }
    try database.close()
  }

  /// Expects that a process with a key recognises the browser and finds everything that its device had; returns its store.
  @discardableResult
  private func accepts(_ storage: any StorageEngine, _ key: SealingKey, _ time: Time) async throws -> BrowserStore {
    let rows = AccessRows(key: key, logger: nil)
    let store = BrowserStore(storage: storage, rows: rows, wall: time.wall)
    let browser = try #require(try await store.browser(cookie: "cookie"))
    let device = try #require(try await store.device(key: "key", browserID: browser.id))
    #expect(device.id == "d" && device.name == "Phone 1")
    #expect(
      try await KeyRotation.tagKey(storage, key: key, voiding: PersonSchema.voiding) { Issue.record("its data was discarded") }
        == Self.tagKey)
    let tokens = try SealedTokenStore(storage: storage, key: key, backendID: "backend", deviceID: "d").load()
    #expect(tokens?.accessToken == "a" && tokens?.refreshToken == "r")
    let cues = try CueStore(storage: storage, deviceID: "d", backendID: "backend").list(CueOwner(userID: "u", profileID: "p"))
    #expect(cues?.cues.map(\.prompt) == ["prompt"])
    let settings = AccountSettingsStore(storage: storage, tagKey: Self.tagKey, deviceID: "d", backendID: "backend")
    #expect(await !settings.analyticsOptedIn(accountID: nil))
    let ledger = DeviceLedger(
      storage: storage, key: key, tagKey: Self.tagKey, rows: rows, deviceID: "d", backendID: "backend", wall: time.wall)
    #expect(try await ledger.askedIdentifiers() == ["dana@example.com"])
    #expect(try await ledger.cooldowns().map(\.retryAt) == [time.wall().addingTimeInterval(60)])
    #expect(await ledger.port.recognize("state") == .whole)
    return store
  }

  @Test func everythingIsAccepted() async throws {
    let driven = DrivenTime()
    try fill(now: driven.wall.timeIntervalSince1970)
    let storage = try await ConsoleDatabase.open(path: path, teamTables: PersonSchema.tables)
    let store = try await accepts(storage, key, driven.time)
    // The table of the tokens has a column more than a new one.
    let tokens = try JSONDecoder().decode(StoredTokens.self, from: Data(Self.tokens.utf8))
    let sealed = SealedTokenStore(storage: storage, key: key, backendID: "backend", deviceID: "d")
    try sealed.clear()
    try sealed.save(tokens)
    try sealed.save(tokens)
    #expect(try sealed.load() == tokens)
    // What this version adds is signed alike.
    let new = try await store.rotateCookie(browserID: "b")
    #expect(try await store.browser(cookie: new)?.id == "b")
    await storage.close()
    let again = try await ConsoleDatabase.open(path: path, teamTables: PersonSchema.tables)
    try await accepts(again, key, driven.time)
    try await process(again, driven).deleteDevice(id: "d")
    for table in ["account_setting", "asked_identifier", "link_state", "client_token", "cue"] {
      #expect(try await again.read { try $0.number("SELECT count(*) FROM \(table)") } == 0, "\(table)")
    }
  }

  /// A process that has recognised nobody yet.
  private func process(_ storage: any StorageEngine, _ driven: DrivenTime) -> BrowserStore {
    BrowserStore(storage: storage, rows: AccessRows(key: key, logger: nil), wall: driven.time.wall)
  }

  @Test func aNewVaultKeyOpensWhatAnEarlierVersionSealed() async throws {
    let (driven, new) = (DrivenTime(), SealingKey.random())
    try fill(now: driven.wall.timeIntervalSince1970)
    let storage = try await ConsoleDatabase.open(path: path, teamTables: PersonSchema.tables)
    #expect(try await KeyRotation.reseal(storage, from: key, to: new) == 3)
    try await accepts(storage, new, driven.time)
    #expect(try await process(storage, driven).browser(cookie: "cookie") == nil, "the old key knows nobody any more")
  }

  @Test(arguments: [("7 signed rows", false), ("8 unproven tokens", true)])
  func aFileFromBeforeTheLastStepsIsTakenOn(step: String, isUnproven: Bool) async throws {
    let driven = DrivenTime()
    try fill(now: driven.wall.timeIntervalSince1970, through: step, isUnproven: isUnproven)
    let storage = try await ConsoleDatabase.open(path: path, teamTables: PersonSchema.tables)
    try await accepts(storage, key, driven.time)
    await storage.close()
  }

  @Test func aFileOfALaterVersionIsRefused() async throws {
    try fill(now: 0)
    let database = try DatabaseQueue(path: path)
    try await database.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('12 later')") }
    try database.close()
    await #expect(throws: StorageError.newerSchema(["12 later"])) {
      try await ConsoleDatabase.open(path: path, teamTables: PersonSchema.tables)
    }
  }
}
