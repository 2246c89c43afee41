import Client
import Storage
import Testing

/// Random schedules of a device: no acknowledged edit is lost or applied twice, and the order stays.
@Suite(.timeLimit(.minutes(2))) struct OutboxScheduleTests {
  /// Runs a schedule for each seed and returns the totals.
  static func run(_ seeds: ClosedRange<UInt64>, _ store: (UInt64) -> ScheduleStore) throws -> CueSchedule.Totals {
    var totals = CueSchedule.Totals()
    for seed in seeds {
      var schedule = try CueSchedule(seed: seed, store: store(seed))
      for _ in 0..<60 { try schedule.step() }
      try schedule.settle()
      let faults = schedule.faults()
      #expect(faults.isEmpty, "seed \(seed)")
      guard faults.isEmpty else { break }
      totals.add(schedule.totals)
    }
    return totals
  }

  @Test func aThousandSchedulesLoseNothingRepeatNothingAndKeepTheOrder() throws {
    let totals = try Self.run(1...1000) { _ in .memory() }
    // The schedules cover every kind of event.
    #expect(totals.edits > 10_000 && totals.kills > 2000 && totals.answersLost > 500 && totals.requestsLost > 500, "\(totals)")
    #expect(totals.rebased > 500 && totals.conflicts > 100 && totals.gone > 50 && totals.discarded > 500, "\(totals)")
    #expect(totals.otherUsers > 1000 && totals.ghosts > 500, "\(totals)")
  }

  @Test func theRealStoreIsAsGood() throws {
    let storage = try SQLiteStorage(path: nil)
    try storage.writeAndWait { try $0.run(script: StorageDialect.sqlite.script(CueStore.schema)) }
    let totals = try Self.run(1...40) { seed in
      .database(CueStore(storage: storage, deviceID: "device \(seed)", backendID: "b"))
    }
    #expect(totals.edits > 400 && totals.kills > 80, "\(totals)")
  }
}
