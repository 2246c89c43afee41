package import Domain
import Locking
package import Logging
package import Storage
import Vault

/// Which devices are awake on this console, according to the database that all consoles share.
///
/// A running console holds a lock that the database releases when the console's own connection ends. A running console is asked
/// to release a device; after a second, the device is taken anyway, and the writes of the earlier lease are rejected.
package actor DeviceLeases: DevicePlacement {
  /// A lease that this console has, as far as it knows.
  private struct Held {
    let epoch: Int64
    let since: ContinuousClock.Instant
  }

  private enum Attempt {
    case taken(Int64)
    case asked
    /// A transaction holds the lease, such as that of a console that was stopped in one.
    case held
    case moved(Double)
  }

  /// How long another console has to release a device, and how often its lease is checked meanwhile.
  private static let handoverTimeout = Duration.seconds(1)
  private static let interval = Duration.milliseconds(50)
  /// How long a device stays where it moved, in seconds, if the console there runs; and how long it may move freely instead after
  /// its console failed: load balancers have not noticed yet, and send it elsewhere than later.
  package static let minimumStay = 5.0
  /// How long a console that joins others reports that it is not ready. The devices of the console that it replaces have just
  /// moved to others, where they stay; their pages would wait here.
  private static let joinDelay = Duration.seconds(7)
  /// How often the leases are checked without a notification.
  package static let checkInterval = Duration.milliseconds(500)
  /// How long a check counts for the console as a whole; shorter than the database takes to notice a lost connection.
  package static let freshness = Duration.seconds(3)
  /// How long a console waits at most for a transaction that holds a lease, before it retries.
  private static let lockMilliseconds = 500
  private static let channel = "understudy_console"
  private static let clock = "CAST(extract(epoch FROM clock_timestamp()) AS DOUBLE PRECISION)"
  /// Free moves from now on, or those that began less than half a minute ago.
  private static let onceFree =
    "CASE WHEN free_until BETWEEN \(clock) - 30 AND \(clock) + \(minimumStay) THEN free_until ELSE \(clock) + \(minimumStay) END"

  /// This console.
  package nonisolated let consoleID = SecureRandom.uuid()
  private nonisolated let storage: PostgreSQLStorage
  private nonisolated let time: Time
  private let logger: Logger
  private let lockID = Int64.random(in: 1...Int64.max)
  private var session: PostgreSQLSession?
  private var checking: Task<Result<DeviceMoves, DeviceAway>, Never>?
  private var held: [String: Held] = [:]
  private nonisolated let settledAt = Locked<ContinuousClock.Instant?>(nil)
  private nonisolated let checkedAt = Locked<ContinuousClock.Instant?>(nil)
  private nonisolated let (notices, notice) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  /// Creates the leases without connecting.
  package init(storage: PostgreSQLStorage, time: Time, logger: Logger) {
    self.storage = storage
    self.time = time
    self.logger = logger
  }

  package nonisolated var isShared: Bool { true }

  package nonisolated var isReady: Bool { isFresh && isSettled }

  /// Whether the leases of this console were checked recently.
  package nonisolated var isFresh: Bool { hasChecked(within: Self.freshness) }

  /// Whether no device of this console can be awake elsewhere: other consoles wait longer before they take a device that was not
  /// released.
  package nonisolated var isCertain: Bool { hasChecked(within: Self.handoverTimeout) }

  private nonisolated func hasChecked(within duration: Duration) -> Bool {
    checkedAt.withLock { $0 }.map { time.monotonic() < $0 + duration } ?? false
  }

  /// Whether devices that are sent here can wake at once; true a while after the start, or once all consoles that started before
  /// have ended.
  package nonisolated var isSettled: Bool { settledAt.withLock { $0 }.map { time.monotonic() >= $0 } ?? false }

  /// Yields when there may be changes: after a notification, and each second.
  package nonisolated func checkTimes() -> AsyncStream<Void> {
    let timer = Task { [time, notice] in
      while (try? await time.sleep(time.monotonic() + Self.checkInterval)) != nil { notice.yield() }
    }
    notice.onTermination = { _ in timer.cancel() }
    return notices
  }

  // MARK: Life

  /// Checks which of its devices other consoles have taken or wait for; connects first if it is not connected.
  ///
  /// A caller that comes during a check gets its result: two connections of this console would take each other's lock for another
  /// console's. Throws ``DeviceAway/unreachable`` if the database cannot be reached.
  package func check() async throws(DeviceAway) -> DeviceMoves {
    if let checking { return try await checking.value.get() }
    let check = Task { () -> Result<DeviceMoves, DeviceAway> in
      do throws(DeviceAway) { return .success(try await checkNow()) } catch { return .failure(error) }
    }
    checking = check
    defer { checking = nil }
    return try await check.value.get()
  }

  private func checkNow() async throws(DeviceAway) -> DeviceMoves {
    let began = time.monotonic()
    do {
      let session = try await connected()
      if !isSettled, try await !joinsOthers(session) { settledAt.withLock { $0 = began } }
      let rows = try await session.perform { [consoleID] transaction in
        try transaction.rows("SELECT device_id, epoch, wanted_by FROM device_lease WHERE console_id = ?", consoleID)
      }
      var stored: [String: Int64] = [:]
      var changes: DeviceMoves = DeviceMoves()
      for row in rows {
        stored[try row.text("device_id")] = try row.integer("epoch")
        if try row.optionalText("wanted_by") != nil { changes.requested.append(try row.text("device_id")) }
      }
      // Leases taken while the rows were read are newer than the rows.
      changes.lost = held.filter { id, held in held.since < began && stored[id] != held.epoch }.map(\.key)
      for id in changes.lost { held[id] = nil }
      changes.requested.removeAll { held[$0] == nil }
      checkedAt.withLock { $0 = began }
      return changes
    } catch {
      // Another transaction was in the way; the connection, and with it the console's lock, continues.
      if case StorageError.conflict = error {} else { session = nil }
      throw .unreachable
    }
  }

  /// The session, opened if there is none.
  private func connected() async throws -> PostgreSQLSession {
    if let session { return session }
    let session = try await storage.session()
    // Reading must not fail because other consoles write.
    try await session.perform { try $0.run(script: "SET default_transaction_isolation = 'read committed'") }
    // The database may still hold the lock for the previous connection, whose end it has not noticed.
    guard try await session.lock(lockID) else { throw StorageError.conflict }
    // Not on the session, which does not retry: other consoles that start now delete the same rows.
    try await storage.write { [consoleID, lockID] transaction in
      try transaction.execute("DELETE FROM console WHERE console_id <> ? AND NOT \(Self.isAlive)", consoleID)
      try transaction.execute(
        """
        INSERT INTO console (console_id, life, started_at) VALUES (?, ?, \(Self.clock)) ON CONFLICT (console_id) DO NOTHING
        """, consoleID, lockID)
    }
    settledAt.withLock { [time] in $0 = $0 ?? time.monotonic() + Self.joinDelay }
    try await session.listen(to: Self.channel, onNotice: { [notice] in notice.yield() }, onLoss: { [notice] in notice.yield() })
    self.session = session
    return session
  }

  /// Whether a console runs that started before this one, and not together with it.
  private func joinsOthers(_ session: PostgreSQLSession) async throws -> Bool {
    try await session.perform { [consoleID] transaction in
      let elders = try transaction.number(
        """
        SELECT count(*) FROM console JOIN console AS own ON own.console_id = ?
        WHERE console.started_at < own.started_at - ? AND \(Self.isAlive)
        """, consoleID, Self.minimumStay)
      return elders ?? 0 > 0
    }
  }

  /// Whether a connection holds the lock of a row of `console`.
  private static let isAlive = """
    EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted
      AND (CAST(classid AS BIGINT) << 32 | CAST(objid AS BIGINT)) = console.life
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
    """

  /// Releases all devices and unregisters the console; devices must be asleep.
  package func end() async {
    notice.finish()
    let consoleID = consoleID
    _ = try? await storage.write { transaction in
      try transaction.execute("UPDATE device_lease SET console_id = NULL, wanted_by = NULL WHERE console_id = ?", consoleID)
      try transaction.execute("DELETE FROM console WHERE console_id = ?", consoleID)
      _ = try transaction.rows("SELECT pg_notify(?, '')", Self.channel)
    }
    held = [:]
    checkedAt.withLock { $0 = nil }
    session = nil
  }

  // MARK: Leases

  /// Leases a device for this console; waits for the console that has it. Throws ``DeviceAway``.
  package func acquire(_ deviceID: String) async throws(DeviceAway) -> DeviceLease {
    let deadline = time.monotonic() + Self.handoverTimeout
    while true {
      switch try await attempt(deviceID, isForced: time.monotonic() >= deadline) {
      case .taken(let epoch):
        held[deviceID] = Held(epoch: epoch, since: time.monotonic())
        return DeviceLease(deviceID: deviceID, consoleID: consoleID, epoch: epoch)
      case .moved(let seconds): throw .moved(retryAfterSeconds: Int(min(max(1, seconds.rounded(.up)), Self.minimumStay)))
      case .held where time.monotonic() >= deadline + Self.handoverTimeout: throw .moved(retryAfterSeconds: 1)
      case .asked, .held:
        guard (try? await time.sleep(time.monotonic() + Self.interval)) != nil else { throw .moved(retryAfterSeconds: 1) }
      }
    }
  }

  package func claim(_ deviceID: String) async throws(DeviceAway) -> WriteFence? { try await acquire(deviceID).fence }

  private func attempt(_ deviceID: String, isForced: Bool) async throws(DeviceAway) -> Attempt {
    do {
      return try await storage.write { [consoleID] transaction in
        try transaction.run(script: "SET LOCAL lock_timeout = \(Self.lockMilliseconds)")
        try transaction.execute(
          "INSERT INTO device_lease (device_id, epoch, moved_at) VALUES (?, 0, 0) ON CONFLICT (device_id) DO NOTHING", deviceID)
        let row = try transaction.first(
          """
          SELECT epoch, console_id, wanted_by, \(Self.clock) - moved_at AS seconds, free_until - \(Self.clock) AS free,
            EXISTS (SELECT 1 FROM console WHERE console.console_id = device_lease.console_id AND \(Self.isAlive)) AS is_alive
          FROM device_lease WHERE device_id = ? FOR UPDATE
          """, deviceID)
        guard let row else { throw StorageError.constraint }
        let holder = try row.optionalText("console_id")
        let seconds = try row.real("seconds")
        let isElsewhere = try holder.map { try $0 != consoleID && row.flag("is_alive") } ?? false
        if isElsewhere, !isForced {
          // Outside of these times, no limit applies any more, or the database's clock was set back since.
          let isRecent = (0..<Self.minimumStay).contains(seconds)
          let isFree = (0...Self.minimumStay).contains(try row.real("free"))
          guard isFree || !isRecent else { return .moved(Self.minimumStay - seconds) }
          if try row.optionalText("wanted_by") != consoleID {
            try transaction.execute("UPDATE device_lease SET wanted_by = ? WHERE device_id = ?", consoleID, deviceID)
            _ = try transaction.rows("SELECT pg_notify(?, '')", Self.channel)
          }
          return .asked
        }
        let epoch = try row.integer("epoch") + 1
        let change =
          switch holder {
          case nil, consoleID: ""
          // A running console did not release it in time. It may keep running, so that free moves end, however often that
          // happens.
          case _ where isElsewhere: ", moved_at = \(Self.clock), free_until = \(Self.onceFree)"
          default: ", free_until = \(Self.clock) + \(Self.minimumStay)"
          }
        try transaction.execute(
          "UPDATE device_lease SET epoch = ?, console_id = ?, wanted_by = NULL\(change) WHERE device_id = ?",
          epoch, consoleID, deviceID)
        return .taken(epoch)
      }
    } catch StorageError.locked {
      return .held
    } catch {
      throw .unreachable
    }
  }

  /// Whether a lease still belongs to this console, as far as it knows.
  package func holds(_ deviceID: String, by claim: WriteFence) -> Bool {
    held[deviceID].map { DeviceLease(deviceID: deviceID, consoleID: consoleID, epoch: $0.epoch).fence == claim } ?? false
  }

  /// Releases a device, once its last write has ended; for a console that waits for the device, this counts as a move.
  package func release(_ deviceID: String) async {
    guard let epoch = held.removeValue(forKey: deviceID)?.epoch else { return }
    do {
      try await storage.write { [consoleID] transaction in
        try transaction.execute(
          """
          UPDATE device_lease SET console_id = NULL, wanted_by = NULL,
            moved_at = CASE WHEN wanted_by IS NULL THEN moved_at ELSE \(Self.clock) END
          WHERE device_id = ? AND console_id = ? AND epoch = ?
          """,
          deviceID, consoleID, epoch)
      }
    } catch {
      // The next console takes it after its wait.
      logger.warning("a device could not be given back")
    }
  }

  /// Evicts a device that was deleted, or that another console has taken.
  package func forget(_ deviceID: String) { held[deviceID] = nil }
}

/// A console's exclusive claim on a device; a later lease of the device has a greater epoch.
package struct DeviceLease: Hashable, Sendable {
  package let deviceID: String
  package let consoleID: String
  /// Grows with each lease of the device.
  package let epoch: Int64

  /// Admits writes as long as this is the latest lease, and blocks later leases until their transaction ends.
  package var fence: WriteFence {
    WriteFence(
      "SELECT epoch FROM device_lease WHERE device_id = ? AND console_id = ? AND epoch = ? FOR SHARE", deviceID, consoleID, epoch)
  }
}
