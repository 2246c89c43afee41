import Client
package import FoundationEssentials
package import GRDB
import Text
import Vault

/// What is kept of a browser and its devices: hashes of the cookie and of each device's key, never the values (contract §2.2).
package struct BrowserStore: Sendable {
  /// A browser as its cookie was recognised.
  package struct Browser: Hashable, Sendable {
    package let id: String
  }

  /// A device as it is kept.
  package struct DeviceRecord: Hashable, Sendable {
    package let id: String
    package let browserID: String
    package let name: String
  }

  /// How many devices a browser may hold.
  package static let deviceLimit = 20
  /// How long a cookie works after it was rotated, in seconds.
  package static let rotationGrace: TimeInterval = 60
  /// How long a browser is remembered without a visit, in seconds: 90 days.
  package static let lifetime: TimeInterval = 90 * 86_400

  /// How often a visit is noted, in seconds, so that reading a page does not write to the disk each time.
  private static let notedEvery: TimeInterval = 3600

  let database: any DatabaseWriter
  /// Reads and writes the rows that grant something.
  let rows: AccessRows
  private let wall: @Sendable () -> Date
  let recognised = CredentialCache()

  /// Makes a store over the console's database.
  package init(database: any DatabaseWriter, rows: AccessRows, wall: @escaping @Sendable () -> Date) {
    self.database = database
    self.rows = rows
    self.wall = wall
  }

  /// The browser that the cookie belongs to.
  ///
  /// A new cookie replaces the others when it comes back for the first time, not when it is given out: an answer that is lost
  /// on its way, or one of several that arrive in another order, must not lock the browser out.
  package func browser(cookie: String) async throws -> Browser? {
    let (hash, now) = (Self.hash(cookie), wall().timeIntervalSince1970)
    if let held = recognised.cookie(hash: hash), held.seenAt >= now - Self.notedEvery, Self.works(until: held.worksUntil, at: now)
    {
      return held.browser
    }
    let changes = recognised.changes
    let found = try await database.read { [rows] db -> (id: String, isPresented: Bool, seenAt: Double, worksUntil: Double?)? in
      guard let cookie = try rows.first(db, .browserCookie, where: "cookie_hash = ?", [hash]),
        let browser = try rows.first(
          db, .browser, where: "browser_id = ? AND seen_at > ?", [cookie["browser_id"] as String, now - Self.lifetime])
      else { return nil }
      return (browser["browser_id"], cookie["is_presented"], browser["seen_at"], cookie["works_until"])
    }
    guard let (id, isPresented, seenAt, worksUntil) = found, Self.works(until: worksUntil, at: now) else { return nil }
    guard !isPresented || seenAt < now - Self.notedEvery else {
      let cookie = CredentialCache.Cookie(browser: Browser(id: id), worksUntil: worksUntil, seenAt: seenAt)
      recognised.hold(cookie, hash: hash, readAt: changes)
      return cookie.browser
    }
    defer { recognised.forget(browserID: id) }
    try await database.write { [rows] db in
      try rows.change(db, .browser, set: "seen_at", to: now, where: "browser_id = ?", [id])
      let isFirst = try rows.change(
        db, .browserCookie, set: "is_presented", to: true, where: "cookie_hash = ? AND NOT is_presented", [hash])
      guard isFirst > 0 else { return }
      try db.execute(sql: "DELETE FROM browser_cookie WHERE browser_id = ? AND works_until <= ?", arguments: [id, now])
      try rows.change(
        db, .browserCookie, set: "works_until", to: now + Self.rotationGrace,
        where: "browser_id = ? AND cookie_hash <> ? AND is_presented AND works_until IS NULL", [id, hash])
    }
    return Browser(id: id)
  }

  /// Whether a cookie works at an instant; one whose minute lies further ahead is from a clock that was set back since.
  private static func works(until end: Double?, at now: Double) -> Bool {
    end.map { $0 > now && $0 <= now + rotationGrace } ?? true
  }

  /// Makes a browser and returns it with its cookie's value.
  package func makeBrowser() async throws -> (Browser, cookie: String) {
    let (id, cookie, now) = (SecureRandom.uuid(), Self.secret(), wall().timeIntervalSince1970)
    let hasPruned = try await database.write { [rows] db in
      let hasPruned = try Self.prune(db, now: now)
      try rows.insert(db, into: .browser, [id, now])
      try insert(cookie, browserID: id, now: now, db)
      return hasPruned
    }
    if hasPruned { recognised.forgetAll() }
    return (Browser(id: id), cookie)
  }

  /// Gives the browser a new cookie; the ones before work for a minute more once the new one has come back.
  package func rotateCookie(browserID: String) async throws -> String {
    let (cookie, now) = (Self.secret(), wall().timeIntervalSince1970)
    try await database.write { db in
      try insert(cookie, browserID: browserID, now: now, db)
      // Of those that never came back only the newest are kept, so that a browser's rows stay few.
      try db.execute(
        sql: """
          DELETE FROM browser_cookie WHERE browser_id = ?1 AND NOT is_presented AND cookie_hash NOT IN
          (SELECT cookie_hash FROM browser_cookie WHERE browser_id = ?1 AND NOT is_presented ORDER BY made_at DESC, rowid DESC LIMIT ?2)
          """, arguments: [browserID, Self.deviceLimit])
    }
    return cookie
  }

  private func insert(_ cookie: String, browserID: String, now: Double, _ db: Database) throws {
    try rows.insert(db, into: .browserCookie, [Self.hash(cookie), browserID, now, false, nil])
  }

  /// Makes a device and returns it with its key; nil where the browser holds as many as it may.
  package func makeDevice(browserID: String, name: String?) async throws -> (DeviceRecord, key: String)? {
    let (id, key, now) = (SecureRandom.uuid(), Self.secret(), wall().timeIntervalSince1970)
    return try await database.write { [rows] db in
      let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM device WHERE browser_id = ?", arguments: [browserID]) ?? 0
      guard count < Self.deviceLimit else { return nil }
      let record = DeviceRecord(id: id, browserID: browserID, name: name ?? "Phone \(count + 1)")
      try rows.insert(db, into: .device, [id, browserID, Self.hash(key), record.name, now])
      return (record, key)
    }
  }

  /// The device that the key belongs to, if it is the browser's.
  package func device(key: String, browserID: String) async throws -> DeviceRecord? {
    let hash = Self.hash(key)
    if let held = recognised.device(keyHash: hash) { return held.browserID == browserID ? held : nil }
    let changes = recognised.changes
    let record = try await database.read { [rows] db in
      try rows.first(db, .device, where: "key_hash = ? AND browser_id = ?", [hash, browserID]).map(Self.record)
    }
    if let record { recognised.hold(record, keyHash: hash, readAt: changes) }
    return record
  }

  /// The device, if it is still kept.
  package func device(id: String) async throws -> DeviceRecord? {
    try await database.read { [rows] db in try rows.first(db, .device, where: "device_id = ?", [id]).map(Self.record) }
  }

  /// The browser's devices, oldest first.
  package func devices(browserID: String) async throws -> [DeviceRecord] {
    try await database.read { [rows] db in
      try rows.fetch(db, .device, where: "browser_id = ? ORDER BY created_at, rowid", [browserID]).map(Self.record)
    }
  }

  /// Whether a device of the browser holds tokens of the backend.
  package func holdsSession(browserID: String, backendID: String) async throws -> Bool {
    try await database.read { db in
      try Bool.fetchOne(
        db,
        sql: """
          SELECT EXISTS (SELECT 1 FROM device JOIN client_token USING (device_id) WHERE browser_id = ? AND backend_id = ?)
          """, arguments: [browserID, backendID]) ?? false
    }
  }

  /// Forgets the device and all that is kept of it, its tokens included.
  package func deleteDevice(id: String) async throws {
    defer { recognised.forget(deviceID: id) }
    try await database.write { db in
      try Self.forgetDevice(db, id: id)
    }
  }

  private static func record(_ row: Row) -> DeviceRecord {
    DeviceRecord(id: row["device_id"], browserID: row["browser_id"], name: row["name"])
  }

  private static func secret() -> String { Base64URL.encode(SecureRandom.bytes(32)) }

  static func hash(_ secret: String) -> Data { Data(SHA256Digest.hash(Array(secret.utf8))) }
}
