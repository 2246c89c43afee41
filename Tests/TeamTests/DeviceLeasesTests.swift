import Domain
import Locking
import Logging
import Storage
import Support
import Team
import Testing

/// Where a device is awake, and that what it writes elsewhere is refused.
@Suite(.timeLimit(.minutes(2)))
struct DeviceLeasesTests {
  private static let silent = LeasedConsoles.silent

  /// Each of them deletes what the dead ones left.
  @Test func consolesThatStartAtOnceAfterOthersHaveDiedAllLive() async throws {
    try await LeasedConsoles.with { consoles in
      try await consoles.storage.write { transaction in
        for number in 0..<50 {
          try transaction.execute(
            "INSERT INTO console (console_id, life, started_at) VALUES (?, ?, ?)", "dead \(number)", Int64(number), 0.0)
        }
      }
      let started = (0..<8).map { _ in DeviceLeases(storage: consoles.other, time: .system, logger: Self.silent) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for console in started { group.addTask { _ = try await console.check() } }
        try await group.waitForAll()
      }
      let living = try await consoles.storage.read { try $0.number("SELECT count(*) FROM console") }
      #expect(living == 10)
      for console in started { await console.end() }
    }
  }

  @Test func consolesThatStartTogetherTakeDevicesAtOnce() async throws {
    try await LeasedConsoles.with { consoles in
      #expect(consoles.first.isSettled && consoles.second.isSettled)
    }
  }

  /// Devices of the console in whose place it started stay for five seconds where they fled; sent here, they would wait.
  @Test func aConsoleThatJoinsOthersTakesDevicesOnceThoseThatFledMayMove() async throws {
    try await LeasedConsoles.with { consoles in
      try await consoles.storage.write { try $0.execute("UPDATE console SET started_at = started_at - ?", 60.0) }
      let passed = Locked(Duration.zero)
      var time = Time.system
      let now = ContinuousClock.now
      time.monotonic = { now + passed.withLock { $0 } }
      let joining = DeviceLeases(storage: consoles.other, time: time, logger: Self.silent)
      #expect(!joining.isSettled)
      _ = try await joining.check()
      #expect(joining.isFresh && !joining.isSettled)
      passed.withLock { $0 = .seconds(DeviceLeases.minimumStay) }
      _ = try await joining.check()
      #expect(!joining.isSettled)
      passed.withLock { $0 = .seconds(DeviceLeases.minimumStay + 2) }
      #expect(joining.isSettled)
      await joining.end()
    }
  }

  /// If the others end, there is nobody else to send devices to.
  @Test func aConsoleThatJoinedOthersTakesDevicesAtOnceIfTheyEnd() async throws {
    try await LeasedConsoles.with { consoles in
      try await consoles.storage.write { try $0.execute("UPDATE console SET started_at = started_at - ?", 60.0) }
      let joining = DeviceLeases(storage: consoles.other, time: .system, logger: Self.silent)
      _ = try await joining.check()
      await consoles.first.end()
      _ = try await joining.check()
      #expect(!joining.isSettled)
      await consoles.second.end()
      _ = try await joining.check()
      #expect(joining.isSettled)
      await joining.end()
    }
  }

  @Test func aDeviceOfNobodyIsTakenAtOnceWithAGreaterEpochEachTime() async throws {
    try await LeasedConsoles.with { consoles in
      let one = try await consoles.first.acquire("d")
      let two = try await consoles.first.acquire("d")
      #expect(two.epoch > one.epoch)
      await consoles.first.release("d")
      let three = try await consoles.second.acquire("d")
      #expect(three.epoch > two.epoch)
      #expect(three.consoleID == consoles.second.consoleID)
    }
  }

  @Test func theConsoleThatHasADeviceIsAskedForIt() async throws {
    try await LeasedConsoles.with(time: LeasedConsoles.patient) { consoles in
      _ = try await consoles.first.acquire("d")
      try await consoles.settle()
      async let taken = consoles.second.acquire("d")
      try await eventually { try await !consoles.first.check().requested.isEmpty }
      await consoles.first.release("d")
      let lease = try await taken
      #expect(lease.consoleID == consoles.second.consoleID)
    }
  }

  @Test func aNoticeWakesTheConsoleThatHasIt() async throws {
    try await LeasedConsoles.with(time: LeasedConsoles.patient) { consoles in
      _ = try await consoles.first.acquire("d")
      try await consoles.settle()
      let giving = Task {
        for await _ in consoles.first.checkTimes() {
          let changes = try await consoles.first.check()
          guard changes.requested.isEmpty else { return await consoles.first.release("d") }
        }
      }
      let lease = try await consoles.second.acquire("d")
      #expect(lease.consoleID == consoles.second.consoleID)
      giving.cancel()
    }
  }

  /// Stopped, for example by SIGSTOP, or too slow.
  @Test func aConsoleThatDoesNotAnswerLosesTheDeviceAndItsWrites() async throws {
    try await LeasedConsoles.with { consoles in
      let old = try await consoles.first.acquire("d")
      try await consoles.write(old, 1)
      try await consoles.settle()
      let new = try await consoles.second.acquire("d")
      await #expect(throws: StorageError.fenced) { try await consoles.write(old, 2) }
      #expect(throws: StorageError.fenced) {
        try FencedStorage(consoles.storage, fence: old.fence).writeAndWait { try $0.execute("DELETE FROM link_state") }
      }
      try await consoles.write(new, 3)
      #expect(try await consoles.count() == 2)
      #expect(try await consoles.first.check().lost == ["d"])
      #expect(try await consoles.first.check().lost.isEmpty, "it is told once")
    }
  }

  @Test func aConsoleThatIsDeadIsNotAsked() async throws {
    try await LeasedConsoles.with(time: LeasedConsoles.patient) { consoles in
      try await consoles.loseConsoleWithDevice()
      _ = try await consoles.second.acquire("d")
    }
  }

  @Test func aDeviceThatMovedAMomentAgoStaysWhereItIs() async throws {
    try await LeasedConsoles.with(time: LeasedConsoles.patient) { consoles in
      _ = try await consoles.first.acquire("d")
      try await consoles.move(from: consoles.first, to: consoles.second)
      await #expect(throws: DeviceAway.moved(retryAfterSeconds: 5)) { try await consoles.first.acquire("d") }
      // Not if nobody has it.
      await consoles.second.release("d")
      _ = try await consoles.first.acquire("d")
    }
  }

  /// A balancer that has not noticed yet that a console was lost sends its devices to another one than afterwards, and calls that
  /// wait there take them once more.
  @Test func aDeviceOfADeadConsoleMayMoveAsOftenAsItHasToForAWhile() async throws {
    try await LeasedConsoles.with(time: LeasedConsoles.patient) { consoles in
      try await consoles.loseConsoleWithDevice()
      _ = try await consoles.first.acquire("d")
      for _ in 0..<2 {
        try await consoles.move(from: consoles.first, to: consoles.second)
        try await consoles.move(from: consoles.second, to: consoles.first)
      }
      // From then on only the last move counts.
      try await consoles.settle(seconds: DeviceLeases.minimumStay)
      try await consoles.move(from: consoles.first, to: consoles.second)
      await #expect(throws: DeviceAway.moved(retryAfterSeconds: 5)) { try await consoles.first.acquire("d") }
    }
  }

  /// Two consoles that live but are slow must not take it from each other without end.
  @Test func aDeviceOfAConsoleThatDoesNotAnswerMayMoveOnAtOnceAndNotForever() async throws {
    try await LeasedConsoles.with { consoles in
      _ = try await consoles.first.acquire("d")
      _ = try await consoles.second.acquire("d")
      try await consoles.storage.write { try $0.execute("UPDATE device_lease SET free_until = free_until - 1") }
      _ = try await consoles.first.acquire("d")
      // The second of these did not begin the free moves anew.
      try await consoles.storage.write {
        try $0.execute("UPDATE device_lease SET free_until = free_until - ?", DeviceLeases.minimumStay - 0.5)
      }
      await #expect(throws: DeviceAway.moved(retryAfterSeconds: 5)) { try await consoles.second.acquire("d") }
    }
  }

  /// Of a write and a takeover at the same time, the write is first or refused.
  @Test func writeDuringTakeoverIsFirstOrRejected() async throws {
    try await LeasedConsoles.with { consoles in
      for round in 0..<10 {
        let old = try await consoles.first.acquire("d")
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
        _ = try await consoles.first.check()
        try await consoles.storage.write { try $0.execute("UPDATE device_lease SET console_id = NULL") }
      }
    }
  }

  @Test func aDeletedDeviceHasNoLease() async throws {
    try await LeasedConsoles.with { consoles in
      let lease = try await consoles.first.acquire("d")
      try await consoles.storage.write { try $0.execute("DELETE FROM device WHERE device_id = ?", "d") }
      await #expect(throws: StorageError.fenced) { try await consoles.write(lease, 1) }
      await #expect(throws: DeviceAway.self) { try await consoles.second.acquire("d") }
    }
  }

  @Test func anEndingConsoleGivesEverythingBack() async throws {
    try await LeasedConsoles.with { consoles in
      let lease = try await consoles.first.acquire("d")
      await consoles.first.end()
      #expect(!consoles.first.isFresh)
      await #expect(throws: StorageError.fenced) { try await consoles.write(lease, 1) }
      _ = try await consoles.second.acquire("d")
    }
  }

  @Test func whatIsKnownOfTheLeasesGrowsOld() async throws {
    let driven = DrivenTime()
    try await LeasedConsoles.with(time: driven.time) { consoles in
      #expect(consoles.first.isFresh)
      driven.advance(by: DeviceLeases.freshness)
      #expect(!consoles.first.isFresh)
      _ = try await consoles.first.check()
      #expect(consoles.first.isFresh)
    }
  }

  @Test func aLostConnectionIsOpenedAgainAndKeepsTheDevices() async throws {
    try await LeasedConsoles.with { consoles in
      let lease = try await consoles.first.acquire("d")
      _ = try await consoles.other.read {
        try $0.rows(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
      }
      var changes: DeviceMoves?
      await eventually {
        changes = try? await consoles.first.check()
        return changes != nil
      }
      #expect(changes?.lost.isEmpty == true)
      try await consoles.write(lease, 1)
      #expect(try await consoles.count() == 1)
    }
  }
}
