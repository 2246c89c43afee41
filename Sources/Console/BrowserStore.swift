package import FoundationEssentials
package import GRDB
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

  private let database: any DatabaseWriter
  private let wall: @Sendable () -> Date

  /// Makes a store over the console's database.
  package init(database: any DatabaseWriter, wall: @escaping @Sendable () -> Date) {
    self.database = database
    self.wall = wall
  }

  /// The browser that the cookie belongs to, as the current value or, for a minute, the one before.
  package func browser(cookie: String) async throws -> Browser? {
    let (hash, now) = (Self.hash(cookie), wall().timeIntervalSince1970)
    return try await database.write { db in
      let id = try String.fetchOne(
        db,
        sql: """
          SELECT browser_id FROM browser WHERE seen_at > ?2
          AND (cookie_hash = ?1 OR (previous_hash = ?1 AND previous_until > ?3))
          """, arguments: [hash, now - Self.lifetime, now])
      guard let id else { return nil }
      // Noted by the hour, so that reading a page does not write to the disk each time.
      try db.execute(
        sql: "UPDATE browser SET seen_at = ? WHERE browser_id = ? AND seen_at < ?", arguments: [now, id, now - 3600])
      return Browser(id: id)
    }
  }

  /// Makes a browser and returns it with its cookie's value.
  package func makeBrowser() async throws -> (Browser, cookie: String) {
    let (id, cookie, now) = (SecureRandom.uuid(), Self.secret(), wall().timeIntervalSince1970)
    try await database.write { db in
      try db.execute(sql: "DELETE FROM browser WHERE seen_at <= ?", arguments: [now - Self.lifetime])
      try db.execute(
        sql: "INSERT INTO browser (browser_id, cookie_hash, seen_at) VALUES (?, ?, ?)", arguments: [id, Self.hash(cookie), now])
    }
    return (Browser(id: id), cookie)
  }

  /// Gives the browser a new cookie; the one before works for a minute more.
  package func rotateCookie(browserID: String) async throws -> String {
    let (cookie, now) = (Self.secret(), wall().timeIntervalSince1970)
    try await database.write { db in
      try db.execute(
        sql: """
          UPDATE browser SET previous_hash = cookie_hash, previous_until = ?, cookie_hash = ?, seen_at = ? WHERE browser_id = ?
          """, arguments: [now + Self.rotationGrace, Self.hash(cookie), now, browserID])
    }
    return cookie
  }

  /// Makes a device and returns it with its key; nil where the browser holds as many as it may.
  package func makeDevice(browserID: String, name: String?) async throws -> (DeviceRecord, key: String)? {
    let (id, key, now) = (SecureRandom.uuid(), Self.secret(), wall().timeIntervalSince1970)
    return try await database.write { db in
      let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM device WHERE browser_id = ?", arguments: [browserID]) ?? 0
      guard count < Self.deviceLimit else { return nil }
      let record = DeviceRecord(id: id, browserID: browserID, name: name ?? "Phone \(count + 1)")
      try db.execute(
        sql: "INSERT INTO device (device_id, browser_id, key_hash, name, created_at) VALUES (?, ?, ?, ?, ?)",
        arguments: [id, browserID, Self.hash(key), record.name, now])
      return (record, key)
    }
  }

  /// The device that the key belongs to, if it is the browser's.
  package func device(key: String, browserID: String) async throws -> DeviceRecord? {
    try await database.read { db in
      try Row.fetchOne(
        db, sql: "SELECT device_id, browser_id, name FROM device WHERE key_hash = ? AND browser_id = ?",
        arguments: [Self.hash(key), browserID]
      ).map(Self.record)
    }
  }

  /// The browser's devices, oldest first.
  package func devices(browserID: String) async throws -> [DeviceRecord] {
    try await database.read { db in
      try Row.fetchAll(
        db, sql: "SELECT device_id, browser_id, name FROM device WHERE browser_id = ? ORDER BY created_at, rowid",
        arguments: [browserID]
      ).map(Self.record)
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
    try await database.write { db in
      try db.execute(sql: "DELETE FROM client_token WHERE device_id = ?", arguments: [id])
      try db.execute(sql: "DELETE FROM device WHERE device_id = ?", arguments: [id])
    }
  }

  private static func record(_ row: Row) -> DeviceRecord {
    DeviceRecord(id: row["device_id"], browserID: row["browser_id"], name: row["name"])
  }

  private static func secret() -> String { Base64URL.encode(SecureRandom.bytes(32)) }

  private static func hash(_ secret: String) -> Data { Data(SHA256Digest.hash(Array(secret.utf8))) }
}
