package import Domain
package import FoundationEssentials
package import GRDB
package import Storage
import Text
package import Vault

/// Stores which login messages a device requested; identifiers are sealed, link states hashed.
package struct DeviceLedger: Sendable {
  /// A cooldown that is still running.
  package struct Cooldown: Hashable, Sendable {
    /// A keyed tag of the identifier; equal identifiers have equal tags in one installation.
    package let identifierTag: String
    package let retryAt: Date
  }

  /// How long an identifier is stored, in seconds: longer than any message to it.
  private static let memory: TimeInterval = 30 * 86_400
  /// How long a link's `state` is stored, in seconds: longer than any link is valid.
  private static let stateLifetime: TimeInterval = 86_400

  private let database: any DatabaseWriter
  private let writer: GroupedWriter
  private let key: SealingKey
  private let tagKey: [UInt8]
  private let rows: AccessRows
  private let deviceID: String
  private let backendID: String
  private let wall: @Sendable () -> Date
  private let cache = CooldownCache()

  package init(
    database: any DatabaseWriter, writer: GroupedWriter? = nil, key: SealingKey, tagKey: [UInt8], rows: AccessRows,
    deviceID: String, backendID: String, wall: @escaping @Sendable () -> Date
  ) {
    self.database = database
    self.writer = writer ?? GroupedWriter(database)
    self.key = key
    self.tagKey = tagKey
    self.rows = rows
    self.deviceID = deviceID
    self.backendID = backendID
    self.wall = wall
  }

  /// The ledger as the use cases expect it; a database that fails counts as empty.
  package var port: LoginLedger {
    LoginLedger(
      reserve: { identifier, until in try? await self.reserve(identifier, until: until) },
      setRetryAt: { identifier, retryAt in try? await self.note(identifier, retryAt: retryAt) },
      makeState: { await self.makeState() },
      knowsState: { state in (try? await self.knows(state: state)) ?? false })
  }

  /// The cooldowns that are still running, soonest first.
  package func cooldowns() async throws -> [Cooldown] {
    let now = wall().timeIntervalSince1970
    var rows = try await rows(at: now)
    if rows.contains(where: { $0.setAt > now && $0.retryAt > now }) {
      try await changing { db in try Self.restartFutureCooldowns(db, deviceID: deviceID, now: now) }
      rows = try await self.rows(at: now)
    }
    return rows.filter { $0.retryAt > now }.map {
      Cooldown(identifierTag: $0.tag, retryAt: Date(timeIntervalSince1970: $0.retryAt))
    }
  }

  /// The device's cooldowns, soonest first, from the cache if it has them: every page requests them.
  private func rows(at now: Double) async throws -> [CooldownCache.Row] {
    if let rows = cache.rows(at: now) { return rows }
    let changes = cache.changes
    let rows = try await database.fetch { [deviceID, backendID] db in
      try Row.fetchAll(
        db.cachedStatement(
          sql: "SELECT tag, retry_at, set_at FROM asked_identifier WHERE device_id = ? AND backend_id = ? ORDER BY retry_at"),
        arguments: [deviceID, backendID]
      ).map { CooldownCache.Row(tag: $0["tag"], retryAt: $0["retry_at"], setAt: $0["set_at"]) }
    }
    cache.store(rows, readAt: now, changes)
    return rows
  }

  /// Changes the stored cooldowns.
  private func changing<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    defer { cache.clear() }
    return try await writer.write(body)
  }

  /// The identifiers that this device requested messages for.
  package func askedIdentifiers() async throws -> Set<String> {
    let rows = try await database.fetch { db in
      try Row.fetchAll(
        db.cachedStatement(sql: "SELECT tag, sealed FROM asked_identifier WHERE device_id = ? AND backend_id = ?"),
        arguments: [deviceID, backendID]
      ).map { (tag: $0["tag"] as String, sealed: [UInt8]($0["sealed"] as Data)) }
    }
    return Set(
      rows.compactMap { row in
        (try? key.open(row.sealed, associatedData: associatedData(row.tag))).map { String(decoding: $0, as: UTF8.self) }
      })
  }

  /// The keyed tag of an identifier.
  package func tag(_ identifier: Identifier) -> String {
    Hex.encode(Array(HMAC.sha256(Array(identifier.text.utf8), key: tagKey).prefix(8)))
  }

  /// Restarts cooldowns that began in the future, so that a clock that was set back does not extend them.
  private static func restartFutureCooldowns(_ db: Database, deviceID: String, now: Double) throws {
    try db.cachedStatement(
      sql: "UPDATE asked_identifier SET retry_at = retry_at - set_at + ?1, set_at = ?1 WHERE device_id = ?2 AND set_at > ?1"
    ).execute(arguments: [now, deviceID])
  }

  /// Starts a cooldown for the identifier unless one is running; then returns its end.
  private func reserve(_ identifier: Identifier, until: Date) async throws -> Date? {
    let (tag, now) = (tag(identifier), wall().timeIntervalSince1970)
    let sealed = Data(key.seal(Array(identifier.text.utf8), associatedData: associatedData(tag)))
    return try await changing { db in
      try Self.restartFutureCooldowns(db, deviceID: deviceID, now: now)
      try db.cachedStatement(
        sql: "DELETE FROM asked_identifier WHERE device_id = ? AND retry_at < ?"
      ).execute(arguments: [deviceID, now - Self.memory])
      try db.cachedStatement(
        sql: """
          INSERT INTO asked_identifier (device_id, backend_id, tag, sealed, retry_at, set_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
          ON CONFLICT DO UPDATE SET retry_at = excluded.retry_at, sealed = excluded.sealed, set_at = excluded.set_at
          WHERE retry_at <= ?6
          """
      ).execute(arguments: [deviceID, backendID, tag, sealed, until.timeIntervalSince1970, now])
      guard db.changesCount == 0 else { return nil }
      return try Double.fetchOne(
        db.cachedStatement(sql: "SELECT retry_at FROM asked_identifier WHERE device_id = ? AND backend_id = ? AND tag = ?"),
        arguments: [deviceID, backendID, tag]
      ).map(Date.init(timeIntervalSince1970:))
    }
  }

  /// Sets the end of an identifier's cooldown.
  private func note(_ identifier: Identifier, retryAt: Date) async throws {
    let (tag, now) = (tag(identifier), wall().timeIntervalSince1970)
    try await changing { db in
      try db.cachedStatement(
        sql: "UPDATE asked_identifier SET retry_at = ?, set_at = ? WHERE device_id = ? AND backend_id = ? AND tag = ?"
      ).execute(arguments: [retryAt.timeIntervalSince1970, now, deviceID, backendID, tag])
    }
  }

  private func makeState() async -> String {
    let state = Base64URL.encode(SecureRandom.bytes(16))
    let (hash, now) = (Data(SHA256Digest.hash(Array(state.utf8))), wall().timeIntervalSince1970)
    try? await writer.write { [rows] db in
      try db.cachedStatement(
        sql: "DELETE FROM link_state WHERE made_at < ?"
      ).execute(arguments: [now - Self.stateLifetime])
      try rows.insert(db, into: .linkState, [deviceID, hash, now])
    }
    return state
  }

  private func knows(state: String) async throws -> Bool {
    let (hash, oldest) = (Data(SHA256Digest.hash(Array(state.utf8))), wall().timeIntervalSince1970 - Self.stateLifetime)
    return try await database.fetch { [rows, deviceID] db in
      try rows.first(db, .linkState, where: "device_id = ? AND state_hash = ? AND made_at >= ?", [deviceID, hash, oldest]) != nil
    }
  }

  private func associatedData(_ tag: String) -> [UInt8] { Self.associatedData(backendID, deviceID, tag) }

  private static func associatedData(_ backendID: String, _ deviceID: String, _ tag: String) -> [UInt8] {
    Array("identifier\n\(backendID)\n\(deviceID)\n\(tag)".utf8)
  }

  /// Seals the identifiers that `old` opens with `new`; returns how many.
  static func reseal(_ db: Database, from old: SealingKey, to new: SealingKey) throws -> Int {
    var count = 0
    for row in try Row.fetchAll(db.cachedStatement(sql: "SELECT rowid, device_id, backend_id, tag, sealed FROM asked_identifier"))
    {
      let place = associatedData(row["backend_id"], row["device_id"], row["tag"])
      guard let opened = try? old.open([UInt8](row["sealed"] as Data), associatedData: place) else { continue }
      try db.cachedStatement(
        sql: "UPDATE asked_identifier SET sealed = ? WHERE rowid = ?"
      ).execute(arguments: [Data(new.seal(opened, associatedData: place)), row["rowid"] as Int64])
      count += 1
    }
    return count
  }
}
