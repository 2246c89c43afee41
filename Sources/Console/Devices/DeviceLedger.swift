package import Domain
package import FoundationEssentials
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
  /// How many characters a `state` has, and by how many its beginning is recognized.
  private static let (stateLength, stateBeginning) = (22, 6)

  private let storage: any StorageEngine
  private let key: SealingKey
  private let tagKey: [UInt8]
  private let rows: AccessRows
  private let deviceID: String
  private let backendID: String
  private let wall: @Sendable () -> Date
  private let cache = CooldownCache()

  package init(
    storage: any StorageEngine, key: SealingKey, tagKey: [UInt8], rows: AccessRows, deviceID: String, backendID: String,
    wall: @escaping @Sendable () -> Date
  ) {
    self.storage = storage
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
      recognize: { state in (try? await self.recognize(state: state)) ?? .unknown })
  }

  /// The cooldowns that are still running, soonest first.
  package func cooldowns() async throws -> [Cooldown] {
    let now = wall().timeIntervalSince1970
    var rows = try await rows(at: now)
    if rows.contains(where: { $0.setAt > now && $0.retryAt > now }) {
      try await changing { transaction in try Self.restartFutureCooldowns(transaction, deviceID: deviceID, now: now) }
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
    let rows = try await storage.read { [deviceID, backendID] transaction in
      try transaction.rows(
        "SELECT tag, retry_at, set_at FROM asked_identifier WHERE device_id = ? AND backend_id = ? ORDER BY retry_at", deviceID,
        backendID
      ).map { CooldownCache.Row(tag: try $0.text("tag"), retryAt: try $0.real("retry_at"), setAt: try $0.real("set_at")) }
    }
    cache.store(rows, readAt: now, changes)
    return rows
  }

  /// Changes the stored cooldowns.
  @discardableResult
  private func changing<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) async throws -> Value {
    defer { cache.clear() }
    return try await storage.write(body)
  }

  /// The identifiers that this device requested messages for.
  package func askedIdentifiers() async throws -> Set<String> {
    let rows = try await storage.read { transaction in
      try transaction.rows("SELECT tag, sealed FROM asked_identifier WHERE device_id = ? AND backend_id = ?", deviceID, backendID)
        .map { (tag: try $0.text("tag"), sealed: try $0.bytes("sealed")) }
    }
    return Set(
      rows.compactMap { row in
        (try? key.open(row.sealed, associatedData: associatedData(row.tag))).map { String(decoding: $0, as: UTF8.self) }
      })
  }

  /// The keyed tag of an identifier, or of messages without one.
  package func tag(_ identifier: Identifier?) -> String {
    Hex.encode(Array(HMAC.sha256(Array((identifier?.text ?? "").utf8), key: tagKey).prefix(8)))
  }

  /// Restarts cooldowns that began in the future, so that a clock that was set back does not extend them.
  private static func restartFutureCooldowns(
    _ transaction: any StorageTransaction, deviceID: String, now: Double
  ) throws(StorageError) {
    try transaction.execute(
      "UPDATE asked_identifier SET retry_at = retry_at - set_at + ?, set_at = ? WHERE device_id = ? AND set_at > ?", now, now,
      deviceID, now)
  }

  /// Starts a cooldown for the identifier unless one is running; then returns its end.
  private func reserve(_ identifier: Identifier?, until: Date) async throws -> Date? {
    let (tag, now) = (tag(identifier), wall().timeIntervalSince1970)
    let sealed = key.seal(Array((identifier?.text ?? "").utf8), associatedData: associatedData(tag))
    return try await changing { transaction in
      try Self.restartFutureCooldowns(transaction, deviceID: deviceID, now: now)
      try transaction.execute("DELETE FROM asked_identifier WHERE device_id = ? AND retry_at < ?", deviceID, now - Self.memory)
      let changed = try transaction.execute(
        """
        INSERT INTO asked_identifier (device_id, backend_id, tag, sealed, retry_at, set_at) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (device_id, backend_id, tag) DO UPDATE
          SET retry_at = excluded.retry_at, sealed = excluded.sealed, set_at = excluded.set_at
          WHERE asked_identifier.retry_at <= excluded.set_at
        """, deviceID, backendID, tag, sealed, until.timeIntervalSince1970, now)
      guard changed == 0 else { return nil }
      return try transaction.first(
        "SELECT retry_at FROM asked_identifier WHERE device_id = ? AND backend_id = ? AND tag = ?", deviceID, backendID, tag
      ).map { Date(timeIntervalSince1970: try $0.real("retry_at")) }
    }
  }

  /// Sets the end of an identifier's cooldown.
  private func note(_ identifier: Identifier?, retryAt: Date) async throws {
    let (tag, now) = (tag(identifier), wall().timeIntervalSince1970)
    try await changing { transaction in
      try transaction.execute(
        "UPDATE asked_identifier SET retry_at = ?, set_at = ? WHERE device_id = ? AND backend_id = ? AND tag = ?",
        retryAt.timeIntervalSince1970, now, deviceID, backendID, tag)
    }
  }

  /// Stores a new `state`, and its beginning, by which a link that was cut is recognized.
  private func makeState() async -> String {
    let state = Base64URL.encode(SecureRandom.bytes(16))
    let now = wall().timeIntervalSince1970
    try? await storage.write { [rows, deviceID] transaction in
      try transaction.execute("DELETE FROM link_state WHERE made_at < ?", now - Self.stateLifetime)
      for text in [state[...], state.prefix(Self.stateBeginning)] {
        try rows.insert(transaction, into: .linkState, [deviceID, SHA256Digest.hash(text), now])
      }
    }
    return state
  }

  private func recognize(state: String) async throws -> LoginLedger.Recognition {
    let oldest = wall().timeIntervalSince1970 - Self.stateLifetime
    return try await storage.read { [rows, deviceID] transaction in
      let isKnown = { (text: Substring) throws(StorageError) in
        try rows.first(
          transaction, .linkState, where: "device_id = ? AND state_hash = ? AND made_at >= ?", deviceID, SHA256Digest.hash(text),
          oldest)
          != nil
      }
      if state.count != Self.stateBeginning, try isKnown(state[...]) { return .whole }
      guard (Self.stateBeginning..<Self.stateLength).contains(state.count) else { return .unknown }
      return try isKnown(state.prefix(Self.stateBeginning)) ? .beginning : .unknown
    }
  }

  private func associatedData(_ tag: String) -> [UInt8] { Self.associatedData(backendID, deviceID, tag) }

  private static func associatedData(_ backendID: String, _ deviceID: String, _ tag: String) -> [UInt8] {
    Array("identifier\n\(backendID)\n\(deviceID)\n\(tag)".utf8)
  }

  /// Seals the identifiers that `old` opens with `new`; returns how many.
  static func reseal(_ transaction: any StorageTransaction, from old: SealingKey, to new: SealingKey) throws(StorageError) -> Int
  {
    var count = 0
    for row in try transaction.rows("SELECT device_id, backend_id, tag, sealed FROM asked_identifier") {
      let (backendID, deviceID, tag) = (try row.text("backend_id"), try row.text("device_id"), try row.text("tag"))
      let place = associatedData(backendID, deviceID, tag)
      guard let opened = try? old.open(row.bytes("sealed"), associatedData: place) else { continue }
      try transaction.execute(
        "UPDATE asked_identifier SET sealed = ? WHERE device_id = ? AND backend_id = ? AND tag = ?",
        new.seal(opened, associatedData: place), deviceID, backendID, tag)
      count += 1
    }
    return count
  }
}
