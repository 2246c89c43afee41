import Console
import Dispatch
import Domain
import Locking
import Logging
import Storage
import Support
import Testing

/// Does what every write of a device does first.
private enum LeaseProbe {
  static func hold(_ lease: DeviceLease, _ transaction: any StorageTransaction) throws {
    _ = try transaction.first(
      "SELECT epoch FROM device_lease WHERE device_id = ? AND epoch = ? FOR SHARE", lease.deviceID, lease.epoch)
  }
}

/// Where a device is awake, and that what it writes elsewhere is refused.
@Suite(.timeLimit(.minutes(2)))
struct DeviceLeasesTests {
  private static let silent = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

  /// Two consoles on one database with a device.
  private struct Consoles {
    let storage: PostgreSQLStorage
    let other: PostgreSQLStorage
    let first: DeviceLeases
    let second: DeviceLeases

    /// How many rows of the device's own are stored.
    func count() async throws -> Int64? { try await storage.read { try $0.number("SELECT count(*) FROM link_state") } }

    /// Adds a row of the device under a lease.
    func write(_ lease: DeviceLease, _ hash: UInt8) async throws {
      try await LeasedStorage(storage, lease: lease).write {
        try $0.execute("INSERT INTO link_state (device_id, state_hash, made_at) VALUES (?, ?, ?)", "d", [hash], 0.0)
      }
    }

    /// Makes the device one that did not move for long.
    func settle() async throws {
      try await storage.write { try $0.execute("UPDATE device_lease SET moved_at = moved_at - ?", 60.0) }
    }
  }

  /// A clock that stands still, so that nobody loses patience: who asks asks again at once, and nobody looks without a notice.
  private static var patient: Time {
    let now = ContinuousClock.now
    var time = Time.system
    time.monotonic = { now }
    time.sleep = { until in
      guard until - now >= DeviceLeases.lookInterval else { return await Task.yield() }
      await untilCancelled()
      throw CancellationError()
    }
    return time
  }

  private func withConsoles(time: Time = .system, _ body: (Consoles) async throws -> Void) async throws {
    try await StorageEngineKind.withPostgreSQL { engine, other in
      try await (ConsoleDatabase.migrations + LeaseSchema.migrations + PersonSchema.migrations).migrate(engine)
      try await engine.write { transaction in
        try transaction.execute("INSERT INTO browser (browser_id, seen_at) VALUES (?, ?)", "b", 0.0)
        try transaction.execute(
          "INSERT INTO device (device_id, browser_id, key_hash, name, created_at) VALUES (?, ?, ?, ?, ?)", "d", "b", [1 as UInt8],
          "n",
          0.0)
      }
      let first = DeviceLeases(storage: engine, time: time, logger: Self.silent)
      let second = DeviceLeases(storage: other, time: time, logger: Self.silent)
      _ = try await (first.look(), second.look())
      try await body(Consoles(storage: engine, other: other, first: first, second: second))
      await first.end()
      await second.end()
    }
  }

  /// Each of them deletes what the dead ones left.
  @Test func consolesThatStartAtOnceAfterOthersHaveDiedAllLive() async throws {
    try await withConsoles { consoles in
      try await consoles.storage.write { transaction in
        for number in 0..<50 {
          try transaction.execute(
            "INSERT INTO console (console_id, life, started_at) VALUES (?, ?, ?)", "dead \(number)", Int64(number), 0.0)
        }
      }
      let started = (0..<8).map { _ in DeviceLeases(storage: consoles.other, time: .system, logger: Self.silent) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for console in started { group.addTask { _ = try await console.look() } }
        try await group.waitForAll()
      }
      let living = try await consoles.storage.read { try $0.number("SELECT count(*) FROM console") }
      #expect(living == 10)
      for console in started { await console.end() }
    }
  }

  @Test func consolesThatStartTogetherTakeDevicesAtOnce() async throws {
    try await withConsoles { consoles in
      #expect(consoles.first.isSettled && consoles.second.isSettled)
    }
  }

  /// Devices of the console in whose place it started stay for five seconds where they fled; sent here, they would wait.
  @Test func aConsoleThatJoinsOthersTakesDevicesOnceThoseThatFledMayMove() async throws {
    try await withConsoles { consoles in
      try await consoles.storage.write { try $0.execute("UPDATE console SET started_at = started_at - ?", 60.0) }
      let passed = Locked(Duration.zero)
      var time = Time.system
      let now = ContinuousClock.now
      time.monotonic = { now + passed.withLock { $0 } }
      let joining = DeviceLeases(storage: consoles.other, time: time, logger: Self.silent)
      #expect(!joining.isSettled)
      _ = try await joining.look()
      #expect(joining.isFresh && !joining.isSettled)
      passed.withLock { $0 = .seconds(DeviceLeases.stay) }
      _ = try await joining.look()
      #expect(!joining.isSettled)
      passed.withLock { $0 = .seconds(DeviceLeases.stay + 2) }
      #expect(joining.isSettled)
      await joining.end()
    }
  }

  /// If the others end, there is nobody else to send devices to.
  @Test func aConsoleThatJoinedOthersTakesDevicesAtOnceIfTheyEnd() async throws {
    try await withConsoles { consoles in
      try await consoles.storage.write { try $0.execute("UPDATE console SET started_at = started_at - ?", 60.0) }
      let joining = DeviceLeases(storage: consoles.other, time: .system, logger: Self.silent)
      _ = try await joining.look()
      await consoles.first.end()
      _ = try await joining.look()
      #expect(!joining.isSettled)
      await consoles.second.end()
      _ = try await joining.look()
      #expect(joining.isSettled)
      await joining.end()
    }
  }

  @Test func aDeviceOfNobodyIsTakenAtOnceWithAGreaterEpochEachTime() async throws {
    try await withConsoles { consoles in
      let one = try await consoles.first.take("d")
      let two = try await consoles.first.take("d")
      #expect(two.epoch > one.epoch)
      await consoles.first.release("d")
      let three = try await consoles.second.take("d")
      #expect(three.epoch > two.epoch)
      #expect(three.consoleID == consoles.second.consoleID)
    }
  }

  @Test func theConsoleThatHasADeviceIsAskedForIt() async throws {
    try await withConsoles(time: Self.patient) { consoles in
      _ = try await consoles.first.take("d")
      try await consoles.settle()
      async let taken = consoles.second.take("d")
      while try await consoles.first.look().wanted.isEmpty { await Task.yield() }
      await consoles.first.release("d")
      let lease = try await taken
      #expect(lease.consoleID == consoles.second.consoleID)
    }
  }

  @Test func aNoticeWakesTheConsoleThatHasIt() async throws {
    try await withConsoles(time: Self.patient) { consoles in
      _ = try await consoles.first.take("d")
      try await consoles.settle()
      let giving = Task {
        for await _ in consoles.first.occasions() {
          let news = try await consoles.first.look()
          guard news.wanted.isEmpty else { return await consoles.first.release("d") }
        }
      }
      let lease = try await consoles.second.take("d")
      #expect(lease.consoleID == consoles.second.consoleID)
      giving.cancel()
    }
  }

  /// Stopped, for example by SIGSTOP, or too slow.
  @Test func aConsoleThatDoesNotAnswerLosesTheDeviceAndItsWrites() async throws {
    try await withConsoles { consoles in
      let old = try await consoles.first.take("d")
      try await consoles.write(old, 1)
      try await consoles.settle()
      let new = try await consoles.second.take("d")
      await #expect(throws: StorageError.fenced) { try await consoles.write(old, 2) }
      #expect(throws: StorageError.fenced) {
        try LeasedStorage(consoles.storage, lease: old).writeAndWait { try $0.execute("DELETE FROM link_state") }
      }
      try await consoles.write(new, 3)
      #expect(try await consoles.count() == 2)
      #expect(try await consoles.first.look().lost == ["d"])
      #expect(try await consoles.first.look().lost.isEmpty, "it is told once")
    }
  }

  @Test func aConsoleThatIsDeadIsNotAsked() async throws {
    try await withConsoles(time: Self.patient) { consoles in
      var third: DeviceLeases? = DeviceLeases(storage: consoles.other, time: .system, logger: Self.silent)
      _ = try await third?.look()
      _ = try await third?.take("d")
      third = nil
      // The database frees what a connection held a moment after its end.
      while try await consoles.storage.read({ try $0.number("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") }) != 2 {
        await Task.yield()
      }
      _ = try await consoles.second.take("d")
    }
  }

  @Test func aDeviceThatMovedAMomentAgoStaysWhereItIs() async throws {
    try await withConsoles { consoles in
      _ = try await consoles.first.take("d")
      await #expect(throws: DeviceLeases.Refusal.moved(retryAfterSeconds: 5)) { try await consoles.second.take("d") }
      // Not if nobody has it.
      await consoles.first.release("d")
      _ = try await consoles.second.take("d")
    }
  }

  /// Of a write and a takeover at the same time, the write is first or refused.
  @Test func noWriteFallsBetweenTheChairs() async throws {
    try await withConsoles { consoles in
      for round in 0..<10 {
        let old = try await consoles.first.take("d")
        try await consoles.settle()
        async let taken = consoles.storage.write { transaction in
          try transaction.execute(
            "UPDATE device_lease SET epoch = epoch + 1, console_id = ? WHERE device_id = ?", consoles.second.consoleID, "d")
          return try transaction.number("SELECT count(*) FROM link_state")
        }
        let result: Result<Void, any Error>
        do { result = .success(try await consoles.write(old, UInt8(round))) } catch { result = .failure(error) }
        let seen = try await taken
        let count = try await consoles.count()
        switch result {
        case .success: #expect(seen == count, "the new holder saw what was acknowledged")
        case .failure(let error): #expect(error as? StorageError == .fenced && seen == count)
        }
        _ = try await consoles.first.look()
        try await consoles.storage.write { try $0.execute("UPDATE device_lease SET console_id = NULL") }
      }
    }
  }

  /// A console that was stopped within a transaction keeps its locks for as long as its connection stays.
  @Test func aTransactionThatHoldsALeaseKeepsNobodyWaitingForLong() async throws {
    try await withConsoles { consoles in
      let old = try await consoles.first.take("d")
      try await consoles.settle()
      let stopped = try await consoles.storage.begin()
      try await stopped.perform { try LeaseProbe.hold(old, $0) }
      let began = ContinuousClock.now
      await #expect(throws: DeviceLeases.Refusal.moved(retryAfterSeconds: 1)) { try await consoles.second.take("d") }
      #expect(ContinuousClock.now - began < .seconds(6))
      try await stopped.commit()
      _ = try await consoles.second.take("d")
    }
  }

  /// The database ends the transaction of a program that was stopped in it, although its connection stays.
  @Test func aWriteThatStopsInTheMiddleEndsByItself() async throws {
    try await withConsoles { consoles in
      let old = try await consoles.first.take("d")
      try await consoles.settle()
      let (isHeld, isTaken) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let stopped = Task {
        try await LeasedStorage(consoles.storage, lease: old).write { transaction in
          isHeld.signal()
          isTaken.wait()
          _ = try transaction.rows("SELECT 1 AS one")
        }
      }
      await Task.detached { isHeld.wait() }.value
      var lease: DeviceLease?
      while lease == nil { lease = try? await consoles.second.take("d") }
      isTaken.signal()
      await #expect(throws: StorageError.self) { try await stopped.value }
      #expect(lease?.consoleID == consoles.second.consoleID)
    }
  }

  @Test func aDatabaseWhoseClockWasSetBackKeepsNoDeviceForLong() async throws {
    try await withConsoles { consoles in
      _ = try await consoles.first.take("d")
      try await consoles.storage.write { try $0.execute("UPDATE device_lease SET moved_at = moved_at + ?", 3600.0) }
      _ = try await consoles.second.take("d")
    }
  }

  /// After an outage every call looks; none of them ends the connection that another has just opened.
  @Test func manyWhoLookAtOnceAfterALossLeaveTheConsoleAlive() async throws {
    try await withConsoles { consoles in
      for _ in 0..<5 {
        _ = try await consoles.other.read {
          try $0.rows(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
          )
        }
        await withTaskGroup { group in
          for _ in 0..<50 { group.addTask { while (try? await consoles.first.look()) == nil { await Task.yield() } } }
        }
        let locks = try await consoles.other.read {
          try $0.number("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted")
        }
        #expect(locks == 1 && consoles.first.isCertain)
      }
    }
  }

  @Test func aDeletedDeviceHasNoLease() async throws {
    try await withConsoles { consoles in
      let lease = try await consoles.first.take("d")
      try await consoles.storage.write { try $0.execute("DELETE FROM device WHERE device_id = ?", "d") }
      await #expect(throws: StorageError.fenced) { try await consoles.write(lease, 1) }
      await #expect(throws: DeviceLeases.Refusal.self) { try await consoles.second.take("d") }
    }
  }

  @Test func anEndingConsoleGivesEverythingBack() async throws {
    try await withConsoles { consoles in
      let lease = try await consoles.first.take("d")
      await consoles.first.end()
      #expect(!consoles.first.isFresh)
      await #expect(throws: StorageError.fenced) { try await consoles.write(lease, 1) }
      _ = try await consoles.second.take("d")
    }
  }

  @Test func whatIsKnownOfTheLeasesGrowsOld() async throws {
    let driven = DrivenTime()
    try await withConsoles(time: driven.time) { consoles in
      #expect(consoles.first.isFresh)
      driven.advance(by: DeviceLeases.freshness)
      #expect(!consoles.first.isFresh)
      _ = try await consoles.first.look()
      #expect(consoles.first.isFresh)
    }
  }

  @Test func aLostConnectionIsOpenedAgainAndKeepsTheDevices() async throws {
    try await withConsoles { consoles in
      let lease = try await consoles.first.take("d")
      _ = try await consoles.other.read {
        try $0.rows(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
      }
      var news: DeviceLeases.News?
      while news == nil { news = try? await consoles.first.look() }
      #expect(news?.lost.isEmpty == true)
      try await consoles.write(lease, 1)
      #expect(try await consoles.count() == 1)
    }
  }
}
