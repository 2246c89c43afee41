import Client
package import FoundationEssentials
package import GRDB
package import Storage
import Text
import Vault

/// Stores browsers and their devices, with hashes of cookies and device keys but never their values.
package struct BrowserStore: Sendable {
  /// A browser that was identified by its cookie.
  package struct Browser: Hashable, Sendable {
    package let id: String
  }

  /// A device as it is stored.
  package struct DeviceRecord: Hashable, Sendable {
    package let id: String
    package let browserID: String
    package let name: String
  }

  /// How many devices a browser can have.
  package static let deviceLimit = 20
  /// How long a cookie stays valid after it was rotated, in seconds.
  package static let rotationGrace: TimeInterval = 60
  /// How long a browser is remembered without a visit, in seconds: 90 days.
  package static let lifetime: TimeInterval = 90 * 86_400

  /// How often a visit is recorded, in seconds, so that not every request writes to the disk.
  private static let visitInterval: TimeInterval = 3600

  let database: any DatabaseWriter
  let writer: GroupedWriter
  /// Reads and writes the signed rows.
  let rows: AccessRows
  private let wall: @Sendable () -> Date
  let credentials = CredentialCache()

  /// Other stores may write by the same `writer`.
  package init(
    database: any DatabaseWriter, writer: GroupedWriter? = nil, rows: AccessRows, wall: @escaping @Sendable () -> Date
  ) {
    self.database = database
    self.writer = writer ?? GroupedWriter(database)
    self.rows = rows
    self.wall = wall
  }

  /// The browser that the cookie belongs to.
  ///
  /// A new cookie replaces the others when the browser first sends it, not when it is set: a lost answer, or answers that arrive
  /// in another order, must not lock the browser out.
  package func browser(cookie: String) async throws -> Browser? {
    let (hash, now) = (Self.hash(cookie), wall().timeIntervalSince1970)
    if let cached = credentials.cookie(hash: hash), cached.seenAt >= now - Self.visitInterval,
      Self.isValid(until: cached.validUntil, at: now)
    {
      return cached.browser
    }
    let changes = credentials.changes
    let found = try await database.fetch { [rows] db -> (id: String, isPresented: Bool, seenAt: Double, validUntil: Double?)? in
      guard let cookie = try rows.first(db, .browserCookie, where: "cookie_hash = ?", [hash]),
        let browser = try rows.first(
          db, .browser, where: "browser_id = ? AND seen_at > ?", [cookie["browser_id"] as String, now - Self.lifetime])
      else { return nil }
      return (browser["browser_id"], cookie["is_presented"], browser["seen_at"], cookie["works_until"])
    }
    guard let (id, isPresented, seenAt, validUntil) = found, Self.isValid(until: validUntil, at: now) else { return nil }
    guard !isPresented || seenAt < now - Self.visitInterval else {
      let cookie = CredentialCache.Cookie(browser: Browser(id: id), validUntil: validUntil, seenAt: seenAt)
      credentials.store(cookie, hash: hash, readAt: changes)
      return cookie.browser
    }
    defer { credentials.remove(browserID: id) }
    try await writer.write { [rows] db in
      try rows.change(db, .browser, set: "seen_at", to: now, where: "browser_id = ?", [id])
      let isFirst = try rows.change(
        db, .browserCookie, set: "is_presented", to: true, where: "cookie_hash = ? AND NOT is_presented", [hash])
      guard isFirst > 0 else { return }
      try db.cachedStatement(
        sql: "DELETE FROM browser_cookie WHERE browser_id = ? AND works_until <= ?"
      ).execute(arguments: [id, now])
      try rows.change(
        db, .browserCookie, set: "works_until", to: now + Self.rotationGrace,
        where: "browser_id = ? AND cookie_hash <> ? AND is_presented AND works_until IS NULL", [id, hash])
    }
    return Browser(id: id)
  }

  /// Whether a cookie is valid at an instant. An end further ahead than the grace period means that the clock was set back since.
  private static func isValid(until end: Double?, at now: Double) -> Bool {
    end.map { $0 > now && $0 <= now + rotationGrace } ?? true
  }

  /// Creates a browser and returns it with its cookie's value.
  package func makeBrowser() async throws -> (Browser, cookie: String) {
    let (id, cookie, now) = (SecureRandom.uuid(), Self.secret(), wall().timeIntervalSince1970)
    let hasPruned = try await writer.write { [rows] db in
      let hasPruned = try Self.prune(db, now: now)
      try rows.insert(db, into: .browser, [id, now])
      try insert(cookie, browserID: id, now: now, db)
      return hasPruned
    }
    if hasPruned { credentials.removeAll() }
    return (Browser(id: id), cookie)
  }

  /// Creates a new cookie for the browser; the earlier ones expire a minute after the browser first sends the new one.
  package func rotateCookie(browserID: String) async throws -> String {
    let (cookie, now) = (Self.secret(), wall().timeIntervalSince1970)
    try await writer.write { db in
      try insert(cookie, browserID: browserID, now: now, db)
      // Of the cookies that the browser never sent only the newest are kept, to bound the rows of a browser.
      try db.cachedStatement(
        sql: """
          DELETE FROM browser_cookie WHERE browser_id = ?1 AND NOT is_presented AND cookie_hash NOT IN
          (SELECT cookie_hash FROM browser_cookie WHERE browser_id = ?1 AND NOT is_presented ORDER BY made_at DESC, rowid DESC LIMIT ?2)
          """
      ).execute(arguments: [browserID, Self.deviceLimit])
    }
    return cookie
  }

  private func insert(_ cookie: String, browserID: String, now: Double, _ db: Database) throws {
    try rows.insert(db, into: .browserCookie, [Self.hash(cookie), browserID, now, false, nil])
  }

  /// Creates a device and returns it with its key; nil if the browser already has as many as it can.
  package func makeDevice(browserID: String, name: String?) async throws -> (DeviceRecord, key: String)? {
    let (id, key, now) = (SecureRandom.uuid(), Self.secret(), wall().timeIntervalSince1970)
    return try await writer.write { [rows] db in
      let count =
        try Int.fetchOne(db.cachedStatement(sql: "SELECT count(*) FROM device WHERE browser_id = ?"), arguments: [browserID]) ?? 0
      guard count < Self.deviceLimit else { return nil }
      let record = DeviceRecord(id: id, browserID: browserID, name: name ?? "Phone \(count + 1)")
      try rows.insert(db, into: .device, [id, browserID, Self.hash(key), record.name, now])
      return (record, key)
    }
  }

  /// The device that the key belongs to, if it is the browser's.
  package func device(key: String, browserID: String) async throws -> DeviceRecord? {
    let hash = Self.hash(key)
    if let cached = credentials.device(keyHash: hash) { return cached.browserID == browserID ? cached : nil }
    let changes = credentials.changes
    let record = try await database.fetch { [rows] db in
      try rows.first(db, .device, where: "key_hash = ? AND browser_id = ?", [hash, browserID]).map(Self.record)
    }
    if let record { credentials.store(record, keyHash: hash, readAt: changes) }
    return record
  }

  /// The device; nil if it was deleted.
  package func device(id: String) async throws -> DeviceRecord? {
    try await database.fetch { [rows] db in try rows.first(db, .device, where: "device_id = ?", [id]).map(Self.record) }
  }

  /// The browser's devices, oldest first.
  package func devices(browserID: String) async throws -> [DeviceRecord] {
    try await database.fetch { [rows] db in
      try rows.fetch(db, .device, where: "browser_id = ? ORDER BY created_at, rowid", [browserID]).map(Self.record)
    }
  }

  /// Whether a device of the browser has tokens of the backend.
  package func holdsSession(browserID: String, backendID: String) async throws -> Bool {
    try await database.fetch { db in
      try Bool.fetchOne(
        db.cachedStatement(
          sql: """
            SELECT EXISTS (SELECT 1 FROM device JOIN client_token USING (device_id) WHERE browser_id = ? AND backend_id = ?)
            """), arguments: [browserID, backendID]) ?? false
    }
  }

  /// Deletes the device with everything it stored, including its tokens.
  package func deleteDevice(id: String) async throws {
    defer { credentials.remove(deviceID: id) }
    try await writer.write { db in
      try Self.removeDevice(db, id: id)
    }
  }

  private static func record(_ row: Row) -> DeviceRecord {
    DeviceRecord(id: row["device_id"], browserID: row["browser_id"], name: row["name"])
  }

  private static func secret() -> String { Base64URL.encode(SecureRandom.bytes(32)) }

  static func hash(_ secret: String) -> Data { Data(SHA256Digest.hash(Array(secret.utf8))) }
}
