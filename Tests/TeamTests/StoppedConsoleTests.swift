import Dispatch
import Domain
import Storage
import Support
import Team
import Testing

/// Does what every write of a device does first.
private enum LeaseProbe {
  static func hold(_ lease: DeviceLease, _ transaction: any StorageTransaction) throws {
    _ = try transaction.first(
      "SELECT epoch FROM device_lease WHERE device_id = ? AND epoch = ? FOR SHARE", lease.deviceID, lease.epoch)
  }
}

/// What consoles that stop, lose their connection or meet another clock do to others.
@Suite(.timeLimit(.minutes(2)))
struct StoppedConsoleTests {
  /// A console that was stopped within a transaction keeps its locks for as long as its connection stays.
  @Test func aTransactionThatHoldsALeaseKeepsNobodyWaitingForLong() async throws {
    try await LeasedConsoles.with { consoles in
      let old = try await consoles.first.acquire("d")
      try await consoles.settle()
      let stopped = try await consoles.storage.begin()
      try await stopped.perform { try LeaseProbe.hold(old, $0) }
      await #expect(throws: DeviceAway.moved(retryAfterSeconds: 1)) { try await consoles.second.acquire("d") }
      try await stopped.commit()
      _ = try await consoles.second.acquire("d")
    }
  }

  /// The database ends the transaction of a program that was stopped in it, although its connection stays.
  @Test func aWriteThatStopsInTheMiddleEndsByItself() async throws {
    try await LeasedConsoles.with(stalledMilliseconds: 500) { consoles in
      let old = try await consoles.first.acquire("d")
      try await consoles.settle()
      let isHeld = DispatchSemaphore(value: 0)
      let isTaken = DispatchSemaphore(value: 0)
      let stopped = Task {
        try await FencedStorage(consoles.storage, fence: old.fence).write { transaction in
          isHeld.signal()
          isTaken.wait()
          _ = try transaction.rows("SELECT 1 AS one")
        }
      }
      try await OwnThread.run { isHeld.wait() }
      var lease: DeviceLease?
      await eventually {
        lease = try? await consoles.second.acquire("d")
        return lease != nil
      }
      isTaken.signal()
      await #expect(throws: StorageError.self) { try await stopped.value }
      #expect(lease?.consoleID == consoles.second.consoleID)
    }
  }

  @Test func aDatabaseWhoseClockWasSetBackKeepsNoDeviceForLong() async throws {
    try await LeasedConsoles.with { consoles in
      _ = try await consoles.first.acquire("d")
      try await consoles.storage.write { try $0.execute("UPDATE device_lease SET moved_at = moved_at + ?", 3600.0) }
      _ = try await consoles.second.acquire("d")
    }
  }

  /// After an outage every call looks; none of them ends the connection that another has just opened.
  @Test func manyWhoLookAtOnceAfterALossLeaveTheConsoleAlive() async throws {
    try await LeasedConsoles.with { consoles in
      for _ in 0..<5 {
        _ = try await consoles.other.read {
          try $0.rows(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
          )
        }
        await withTaskGroup { group in
          for _ in 0..<50 { group.addTask { await eventually { (try? await consoles.first.check()) != nil } } }
        }
        let locks = try await consoles.other.read {
          try $0.number("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted")
        }
        #expect(locks == 1 && consoles.first.isCertain)
      }
    }
  }
}
