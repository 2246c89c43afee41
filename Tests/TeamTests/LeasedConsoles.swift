import Console
import Domain
import Locking
import Logging
import Storage
import Support
import Team

/// Two consoles on one database with a device.
struct LeasedConsoles {
  static let silent = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

  let storage: PostgreSQLStorage
  let other: PostgreSQLStorage
  let first: DeviceLeases
  let second: DeviceLeases

  /// How many rows of the device's own are stored.
  func count() async throws -> Int64? { try await storage.read { try $0.number("SELECT count(*) FROM link_state") } }

  /// Adds a row of the device under a lease.
  func write(_ lease: DeviceLease, _ hash: UInt8) async throws {
    try await FencedStorage(storage, fence: lease.fence).write {
      try $0.execute("INSERT INTO link_state (device_id, state_hash, made_at) VALUES (?, ?, ?)", "d", [hash], 0.0)
    }
  }

  /// Makes the device one that did not move for so long.
  func settle(seconds: Double = 60) async throws {
    try await storage.write {
      try $0.execute("UPDATE device_lease SET moved_at = moved_at - ?, free_until = free_until - ?", seconds, seconds)
    }
  }

  /// Has a console ask another one for the device and get it; throws the refusal if it does not.
  func move(from one: DeviceLeases, to another: DeviceLeases) async throws {
    let isRefused = Locked(false)
    let taking = Task {
      do { return try await another.acquire("d") } catch {
        isRefused.withLock { $0 = true }
        throw error
      }
    }
    try await eventually { try await !one.check().requested.isEmpty || isRefused.withLock { $0 } }
    if !isRefused.withLock({ $0 }) { await one.release("d") }
    _ = try await taking.value
  }

  /// Has a third console take the device and die.
  func loseConsoleWithDevice() async throws {
    var third: DeviceLeases? = DeviceLeases(storage: other, time: .system, logger: Self.silent)
    _ = try await third?.check()
    _ = try await third?.acquire("d")
    third = nil
    // The database frees what a connection held a moment after its end.
    try await eventually {
      try await storage.read { try $0.number("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") } == 2
    }
  }

  /// A clock that stands still, so that nobody loses patience: who asks asks again at once, and nobody looks without a notice.
  static var patient: Time {
    let now = ContinuousClock.now
    var time = Time.system
    time.monotonic = { now }
    time.sleep = { until in
      guard until - now >= DeviceLeases.checkInterval else { return await Task.yield() }
      await untilCancelled()
      throw CancellationError()
    }
    return time
  }

  /// A clock on which every wait is over at once and takes at least a second: whoever asks loses patience at once.
  private static func hasty() -> Time {
    let ahead = Locked(Duration.zero)
    var time = Time.system
    time.monotonic = { ContinuousClock.now + ahead.withLock { $0 } }
    time.sleep = { until in
      try Task.checkCancellation()
      ahead.withLock { $0 = max(until - .now, $0 + .seconds(1)) }
      await Task.yield()
    }
    return time
  }

  /// Calls `body` with two consoles that have looked; each has a hasty clock of its own unless there is one.
  static func with(
    time: Time? = nil, stalledMilliseconds: Int = 3000, _ body: (LeasedConsoles) async throws -> Void
  ) async throws {
    try await StorageEngineKind.withPostgreSQL(stalledMilliseconds: stalledMilliseconds) { engine, other in
      try await (ConsoleDatabase.migrations + LeaseSchema.migrations + PersonSchema.migrations).migrate(engine)
      try await engine.write { transaction in
        try transaction.execute("INSERT INTO browser (browser_id, seen_at) VALUES (?, ?)", "b", 0.0)
        try transaction.execute(
          "INSERT INTO device (device_id, browser_id, key_hash, name, created_at) VALUES (?, ?, ?, ?, ?)", "d", "b", [1 as UInt8],
          "n", 0.0)
      }
      let first = DeviceLeases(storage: engine, time: time ?? hasty(), logger: silent)
      let second = DeviceLeases(storage: other, time: time ?? hasty(), logger: silent)
      _ = try await (first.check(), second.check())
      try await body(LeasedConsoles(storage: engine, other: other, first: first, second: second))
      await first.end()
      await second.end()
    }
  }
}
