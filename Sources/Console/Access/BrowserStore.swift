import Client
package import FoundationEssentials
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

  let storage: any StorageEngine
  /// Reads and writes the signed rows.
  let rows: AccessRows
  /// How long a cookie or a key counts that was read, in seconds; another console may have changed its row since.
  private let cacheLifetime: TimeInterval
  let wall: @Sendable () -> Date
  let credentials = CredentialCache()

  /// A store on a database with the console's tables, which other consoles may use too (`isShared`).
  package init(storage: any StorageEngine, rows: AccessRows, isShared: Bool = false, wall: @escaping @Sendable () -> Date) {
    cacheLifetime = isShared ? 5 : .infinity
    self.storage = storage
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
      cached.readAt >= now - cacheLifetime,
      Self.isValid(until: cached.validUntil, at: now)
    {
      return cached.browser
    }
    let changes = credentials.changes
    let found = try await storage.read {
      [rows] transaction -> (id: String, isPresented: Bool, seenAt: Double, validUntil: Double?)? in
      guard let cookie = try rows.first(transaction, .browserCookie, where: "cookie_hash = ?", hash),
        let browser = try rows.first(
          transaction, .browser, where: "browser_id = ? AND seen_at > ?", try cookie.text("browser_id"), now - Self.lifetime)
      else { return nil }
      return (
        try browser.text("browser_id"), try cookie.flag("is_presented"), try browser.real("seen_at"),
        try cookie.optionalReal("works_until")
      )
    }
    guard let (id, isPresented, seenAt, validUntil) = found, Self.isValid(until: validUntil, at: now) else { return nil }
    guard !isPresented || seenAt < now - Self.visitInterval else {
      let cookie = CredentialCache.Cookie(browser: Browser(id: id), validUntil: validUntil, seenAt: seenAt, readAt: now)
      credentials.store(cookie, hash: hash, readAt: changes)
      return cookie.browser
    }
    defer { credentials.remove(browserID: id) }
    try await storage.write { [rows] transaction in
      try rows.change(transaction, .browser, set: "seen_at", to: now, where: "browser_id = ?", id)
      let isFirst = try rows.change(
        transaction, .browserCookie, set: "is_presented", to: true, where: "cookie_hash = ? AND is_presented = 0", hash)
      guard isFirst > 0 else { return }
      try transaction.execute("DELETE FROM browser_cookie WHERE browser_id = ? AND works_until <= ?", id, now)
      try rows.change(
        transaction, .browserCookie, set: "works_until", to: now + Self.rotationGrace,
        where: "browser_id = ? AND cookie_hash <> ? AND is_presented <> 0 AND works_until IS NULL", id, hash)
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
    let hasPruned = try await storage.write { [rows] transaction in
      let hasPruned = try Self.prune(transaction, rows, now: now)
      try rows.insert(transaction, into: .browser, [id, now])
      try insert(cookie, browserID: id, now: now, transaction)
      return hasPruned
    }
    if hasPruned { credentials.removeAll() }
    return (Browser(id: id), cookie)
  }

  /// Creates a new cookie for the browser; the earlier ones expire a minute after the browser first sends the new one.
  package func rotateCookie(browserID: String) async throws -> String {
    let (cookie, now) = (Self.secret(), wall().timeIntervalSince1970)
    try await storage.write { transaction in
      try insert(cookie, browserID: browserID, now: now, transaction)
      // Of the cookies that the browser never sent only the newest are kept, to bound the rows of a browser.
      try transaction.execute(
        """
        DELETE FROM browser_cookie WHERE browser_id = ? AND is_presented = 0 AND cookie_hash NOT IN
        (SELECT cookie_hash FROM browser_cookie WHERE browser_id = ? AND is_presented = 0
          ORDER BY made_at DESC, cookie_hash = ? DESC LIMIT ?)
        """, browserID, browserID, Self.hash(cookie), Self.deviceLimit)
    }
    return cookie
  }

  private func insert(_ cookie: String, browserID: String, now: Double, _ transaction: any StorageTransaction) throws {
    try rows.insert(transaction, into: .browserCookie, [Self.hash(cookie), browserID, now, false, StorageValue.null])
  }

  /// Creates a device and returns it with its key; nil if the browser already has as many as it can.
  package func makeDevice(browserID: String, name: String?) async throws -> (DeviceRecord, key: String)? {
    let (id, now) = (SecureRandom.uuid(), wall().timeIntervalSince1970)
    let key = Self.deviceKey(id)
    return try await storage.write { [rows] transaction in
      let count = Int(try transaction.number("SELECT count(*) FROM device WHERE browser_id = ?", browserID) ?? 0)
      guard count < Self.deviceLimit else { return nil }
      let record = DeviceRecord(id: id, browserID: browserID, name: name ?? "Phone \(count + 1)")
      try rows.insert(transaction, into: .device, [id, browserID, Self.hash(key), record.name, now])
      return (record, key)
    }
  }

  /// The device that the key belongs to, if it is the browser's.
  package func device(key: String, browserID: String) async throws -> DeviceRecord? {
    let (hash, now) = (Self.hash(key), wall().timeIntervalSince1970)
    // Of another browser, it is read: another console may have moved the device since.
    if let cached = credentials.device(keyHash: hash), cached.record.browserID == browserID, cached.readAt >= now - cacheLifetime
    {
      return cached.record
    }
    let changes = credentials.changes
    let record = try await storage.read { [rows] transaction in
      try rows.first(transaction, .device, where: "key_hash = ? AND browser_id = ?", hash, browserID).map(Self.record)
        ?? Self.device(transaction, rows, otherKey: hash, browserID: browserID)
    }
    if let record { credentials.store(.init(record: record, readAt: now), keyHash: hash, readAt: changes) }
    return record
  }

  /// The device; nil if it was deleted.
  package func device(id: String) async throws -> DeviceRecord? {
    try await storage.read { [rows] transaction in
      try rows.first(transaction, .device, where: "device_id = ?", id).map(Self.record)
    }
  }

  /// The browser's devices, oldest first.
  package func devices(browserID: String) async throws -> [DeviceRecord] {
    try await storage.read { [rows] transaction in
      try rows.fetch(transaction, .device, where: "browser_id = ? ORDER BY created_at, device_id", browserID).map(Self.record)
    }
  }

  /// Whether a device of the browser has tokens of the backend.
  package func holdsSession(browserID: String, backendID: String) async throws -> Bool {
    try await storage.read { transaction in
      try transaction.first(
        "SELECT 1 AS one FROM device JOIN client_token USING (device_id) WHERE browser_id = ? AND backend_id = ? LIMIT 1",
        browserID,
        backendID) != nil
    }
  }

  /// Deletes the device with everything it stored, including its tokens.
  package func deleteDevice(id: String) async throws {
    defer { credentials.remove(deviceID: id) }
    try await storage.write { transaction in
      try Self.removeDevice(transaction, id: id)
    }
    await removeTraces()
  }

  /// Removes from the files what was deleted; if that fails, the next deletion or the stop does it.
  func removeTraces() async { try? await storage.purge() }

  static func record(_ row: StorageRow) throws(StorageError) -> DeviceRecord {
    DeviceRecord(id: try row.text("device_id"), browserID: try row.text("browser_id"), name: try row.text("name"))
  }

  /// How many characters all keys of a device begin with, by which a balancer sends its calls to one console.
  static let keyTagLength = 7

  /// A new key of a device: what tells devices apart, and 27 random bytes.
  static func deviceKey(_ id: String) -> String {
    let tag = Base64URL.encode(SHA256Digest.hash(Array(id.utf8))).prefix(keyTagLength)
    return tag + Base64URL.encode(SecureRandom.bytes(27))
  }

  static func secret() -> String { Base64URL.encode(SecureRandom.bytes(32)) }

  static func hash(_ secret: String) -> [UInt8] { Array(SHA256Digest.hash(Array(secret.utf8))) }
}
