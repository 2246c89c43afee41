import Client
package import Domain
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
  private static let rotationGrace: TimeInterval = 60
  /// How long a browser is remembered without a visit, in seconds: 90 days.
  private static let lifetime: TimeInterval = 90 * 86_400

  /// How often a visit is recorded, in seconds, so that not every request writes to the disk.
  private static let visitInterval: TimeInterval = 3600

  let storage: any StorageEngine
  /// Reads and writes the signed rows.
  let rows: AccessRows
  /// How long a cookie or key stays cached, in seconds; another console may change its row meanwhile.
  private let cacheLifetime: TimeInterval
  let wall: @Sendable () -> Date
  private let onRemoval: Removal
  let credentials = CredentialCache()

  /// The work to do before a browser is deleted, in the same transaction.
  package typealias Removal = @Sendable (any StorageTransaction, AccessRows, _ browserID: String) throws -> Void

  /// A store on a database with the console's tables, which other consoles may use too (`isShared`).
  package init(
    storage: any StorageEngine, rows: AccessRows, isShared: Bool = false, onRemoval: @escaping Removal = { _, _, _ in },
    wall: @escaping @Sendable () -> Date
  ) {
    self.onRemoval = onRemoval
    cacheLifetime = isShared ? 5 : .infinity
    self.storage = storage
    self.rows = rows
    self.wall = wall
  }

  /// The browser that the cookie belongs to.
  ///
  /// A new cookie replaces the others when the browser first sends it, not when it is set: a lost response, or responses that arrive
  /// in another order, must not lock the browser out.
  package func browser(cookie: String) async throws -> Browser? {
    let hash = Self.hash(cookie)
    let now = wall().timeIntervalSince1970
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
    let id = SecureRandom.uuid()
    let cookie = Self.secret()
    let now = wall().timeIntervalSince1970
    let hasPruned = try await storage.write { [rows] transaction in
      let hasPruned = try prune(transaction, now: now)
      try rows.insert(transaction, into: .browser, [id, now])
      try insert(cookie, browserID: id, now: now, transaction)
      return hasPruned
    }
    if hasPruned { credentials.removeAll() }
    return (Browser(id: id), cookie)
  }

  /// Creates a new cookie for the browser; the earlier ones expire a minute after the browser first sends the new one.
  package func rotateCookie(browserID: String) async throws -> String {
    let cookie = Self.secret()
    let now = wall().timeIntervalSince1970
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
    let id = SecureRandom.uuid()
    let now = wall().timeIntervalSince1970
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
    let hash = Self.hash(key)
    let now = wall().timeIntervalSince1970
    // A device of another browser is read again: another console may have moved it since.
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

  /// Renames a device.
  package func renameDevice(id: String, _ name: String) async throws {
    // Not before: a call that reads the row meanwhile would cache the old name.
    defer { credentials.remove(deviceID: id) }
    try await storage.write { [rows] transaction in
      try rows.change(transaction, .device, set: "name", to: name, where: "device_id = ?", id)
    }
  }

  /// The ids of the browser's devices that have tokens of the backend.
  func signedInDevices(browserID: String, backendID: String) async throws -> Set<String> {
    try await storage.read { transaction in
      let rows = try transaction.rows(
        "SELECT device_id FROM device JOIN client_token USING (device_id) WHERE browser_id = ? AND backend_id = ?", browserID,
        backendID)
      return Set(try rows.map { try $0.text("device_id") })
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

  /// Removes deleted data from the files; if that fails, the next deletion or the stop does it.
  func removeTraces() async { try? await storage.purge() }

  private static func record(_ row: StorageRow) throws(StorageError) -> DeviceRecord {
    DeviceRecord(id: try row.text("device_id"), browserID: try row.text("browser_id"), name: try row.text("name"))
  }

  /// How many characters all keys of a device begin with, by which a balancer sends its calls to one console.
  static let keyTagLength = 7

  /// Creates a device key: the tag that all keys of the device begin with, and 27 random bytes.
  private static func deviceKey(_ id: String) -> String {
    let tag = Base64URL.encode(SHA256Digest.hash(id)).prefix(keyTagLength)
    return tag + Base64URL.encode(SecureRandom.bytes(27))
  }

  private static func secret() -> String { Base64URL.encode(SecureRandom.bytes(32)) }

  private static func hash(_ secret: String) -> [UInt8] { SHA256Digest.hash(secret) }
}

extension BrowserStore {
  /// The ids of all devices.
  package static func deviceIDs(in storage: any StorageEngine) async throws -> Set<String> {
    try await storage.read { transaction in
      Set(try transaction.rows("SELECT device_id FROM device").map { try $0.text("device_id") })
    }
  }

  /// The maximum number of stored browsers without a signed-in device; the least recently seen ones are deleted first.
  package static let browserLimit = 10_000

  /// How many browsers without a session there are, and the most devices of a browser; zeros if the database fails.
  func counts() async -> (browsersWithoutSession: Int, devices: Int) {
    let counts = try? await storage.read { transaction in
      (
        try transaction.number("SELECT count(*) FROM browser WHERE \(Self.hasNoSession)"),
        try transaction.number("SELECT max(held) FROM (SELECT count(*) AS held FROM device GROUP BY browser_id) AS browsers")
      )
    }
    return (Int(counts?.0 ?? 0), Int(counts?.1 ?? 0))
  }

  /// Deletes browsers that were not seen for `lifetime`, and the oldest browsers without a session above the limit. Returns
  /// whether it deleted any.
  func prune(_ transaction: any StorageTransaction, now: Double) throws -> Bool {
    var gone = try transaction.rows("SELECT browser_id FROM browser WHERE seen_at <= ?", now - Self.lifetime)
    // Counting is fast; looking for sessions is only needed if there can be too many browsers.
    if try transaction.number("SELECT count(*) FROM browser") ?? 0 > Self.browserLimit {
      gone += try transaction.rows(
        "SELECT browser_id FROM browser WHERE \(Self.hasNoSession) ORDER BY seen_at DESC LIMIT ? OFFSET ?", Int64.max,
        Self.browserLimit)
    }
    for browser in Set(try gone.map { try $0.text("browser_id") }) { try remove(transaction, browserID: browser) }
    return !gone.isEmpty
  }

  /// Deletes a browser with its devices and all their data, from the files too.
  func deleteBrowser(id: String) async throws {
    defer { credentials.removeAll() }
    try await storage.write { try remove($0, browserID: id) }
    await removeTraces()
  }

  /// Deletes a browser with its devices and all their data.
  ///
  /// A person's recordings are deleted afterwards, because they may be in another database.
  private func remove(_ transaction: any StorageTransaction, browserID: String) throws {
    for device in try transaction.rows("SELECT device_id FROM device WHERE browser_id = ?", browserID) {
      try Self.removeDevice(transaction, id: try device.text("device_id"))
    }
    try onRemoval(transaction, rows, browserID)
    try transaction.execute("DELETE FROM browser WHERE browser_id = ?", browserID)
  }

  /// Deletes a device with all its data, including its tokens.
  private static func removeDevice(_ transaction: any StorageTransaction, id: String) throws(StorageError) {
    try SealedTokenStore.removeAll(deviceID: id, in: transaction)
    try SealedSignInStore.removeAll(deviceID: id, in: transaction)
    try CueStore.removeAll(deviceID: id, in: transaction)
    try transaction.execute("DELETE FROM device WHERE device_id = ?", id)
  }

  private static let hasNoSession =
    "NOT EXISTS (SELECT 1 FROM device JOIN client_token USING (device_id) WHERE device.browser_id = browser.browser_id)"
}

extension BrowserStore {
  /// The maximum number of additional keys of a device; older ones are deleted.
  static let keyLimit = 20

  /// Creates another key for a device of the browser; nil if the browser has no such device.
  ///
  /// Each of a person's browsers needs its own key, and the keys themselves are not stored.
  package func makeKey(deviceID: String, browserID: String) async throws -> (DeviceRecord, key: String)? {
    let key = Self.deviceKey(deviceID)
    let now = wall().timeIntervalSince1970
    defer { credentials.remove(deviceID: deviceID) }
    return try await storage.write { [rows] transaction in
      guard let row = try rows.first(transaction, .device, where: "device_id = ? AND browser_id = ?", deviceID, browserID) else {
        return nil
      }
      try rows.insert(transaction, into: .deviceKey, [Self.hash(key), deviceID, now])
      try transaction.execute(
        """
        DELETE FROM device_key WHERE device_id = ? AND key_hash NOT IN
        (SELECT key_hash FROM device_key WHERE device_id = ? ORDER BY made_at DESC, key_hash LIMIT ?)
        """, deviceID, deviceID, Self.keyLimit)
      return (try Self.record(row), key)
    }
  }

  /// Creates another key for the person's device that most recently signed in or got a key; nil if the person has no device.
  func makeKeyOfLastUsed(browserID: String) async throws -> (DeviceRecord, key: String)? {
    let last = try await storage.read { transaction in
      try transaction.first(
        """
        SELECT device_id FROM device WHERE browser_id = ? ORDER BY
          EXISTS (SELECT 1 FROM client_token WHERE client_token.device_id = device.device_id) DESC,
          coalesce((SELECT max(made_at) FROM device_key WHERE device_key.device_id = device.device_id), created_at) DESC, device_id
        LIMIT 1
        """, browserID)?.text("device_id")
    }
    guard let last else { return nil }
    return try await makeKey(deviceID: last, browserID: browserID)
  }

  /// The device of the browser that one of its other keys belongs to.
  private static func device(
    _ transaction: any StorageTransaction, _ rows: AccessRows, otherKey hash: [UInt8], browserID: String
  ) throws(StorageError) -> DeviceRecord? {
    guard let key = try rows.first(transaction, .deviceKey, where: "key_hash = ?", hash),
      let device = try rows.first(
        transaction, .device, where: "device_id = ? AND browser_id = ?", try key.text("device_id"), browserID)
    else { return nil }
    return try record(device)
  }
}

extension BrowserStore {
  private func newBrowser() async throws -> (Browser, String?) { try await makeBrowser() }

  private func personIDs() async throws -> Set<String> {
    try await storage.read { transaction in
      Set(try transaction.rows("SELECT person_id FROM person").map { try $0.text("person_id") })
    }
  }

  /// The device that the key belongs to, whichever browser has it.
  package func device(key: String) async throws -> DeviceRecord? {
    let hash = Self.hash(key)
    let browserID = try await storage.read {
      try $0.first("SELECT browser_id FROM device WHERE key_hash = ?", hash)?.text("browser_id")
    }
    guard let browserID else { return nil }
    return try await device(key: key, browserID: browserID)
  }

  /// Creates a browser for the devices that the keys belong to; returns a device or nil for each key, and the browser's cookie.
  ///
  /// Deletes a browser that is left without a device, with its cookies. Returns no cookie if no key belongs to a device.
  ///
  /// With `person`, the devices become the person's instead, without a cookie. A person's devices never move to another owner,
  /// even for a caller who shows their keys.
  package func recoverBrowser(
    keys: [String], person: Person? = nil
  ) async throws -> (devices: [DeviceRecord?], cookie: String?) {
    let persons = try await personIDs()
    var found: [DeviceRecord?] = []
    for key in keys {
      found.append(
        try await device(key: key).flatMap { $0.browserID == person?.id || !persons.contains($0.browserID) ? $0 : nil })
    }
    let devices = found.compactMap { $0 }
    guard !devices.isEmpty else { return (found, nil) }
    let (browser, cookie) = if let person { (person.browser, String?.none) } else { try await newBrowser() }
    let kept = try await move(devices, to: browser)
    let moved = found.map { record in
      record.flatMap { kept.contains($0.id) ? DeviceRecord(id: $0.id, browserID: browser.id, name: $0.name) : nil }
    }
    return (moved, kept.isEmpty ? nil : cookie)
  }

  /// Gives devices to a browser, and returns the ids of those that it has then.
  ///
  /// Skips devices that moved meanwhile or belong to another person, and those beyond the limit of a browser. Deletes a browser that
  /// is left without a device, unless it is a person's.
  func move(_ devices: [DeviceRecord], to browser: Browser) async throws -> Set<String> {
    defer {
      for device in devices {
        credentials.remove(deviceID: device.id)
        if device.browserID != browser.id { credentials.remove(browserID: device.browserID) }
      }
    }
    return try await storage.write { [rows] transaction in
      var kept: Set<String> = []
      var count = try transaction.number("SELECT count(*) FROM device WHERE browser_id = ?", browser.id) ?? 0
      for device in devices where !kept.contains(device.id) {
        let condition = "device_id = ? AND browser_id = ?"
        if device.browserID == browser.id {
          if try rows.first(transaction, .device, where: condition, device.id, browser.id) != nil { kept.insert(device.id) }
          continue
        }
        guard count < Self.deviceLimit,
          try transaction.first("SELECT 1 AS one FROM person WHERE person_id = ?", device.browserID) == nil,
          try rows.change(
            transaction, .device, set: "browser_id", to: browser.id, where: condition, device.id, device.browserID) > 0
        else { continue }
        kept.insert(device.id)
        count += 1
      }
      for id in Set(devices.map(\.browserID)).union([browser.id]) {
        try transaction.execute(
          """
          DELETE FROM browser WHERE browser_id = ? AND NOT EXISTS (SELECT 1 FROM device WHERE browser_id = ?)
            AND NOT EXISTS (SELECT 1 FROM person WHERE person_id = ?)
          """, id, id, id)
      }
      return kept
    }
  }
}
