import Client
import Storage
import Support
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

  @Test func schedulesLoseNothingRepeatNothingAndKeepTheOrder() throws {
    let totals = try Self.run(1...UInt64(Rounds.scaled(300))) { _ in .memory() }
    // The schedules cover every kind of event.
    #expect(totals.edits > 3000 && totals.kills > 600 && totals.answersLost > 150 && totals.requestsLost > 150, "\(totals)")
    #expect(totals.rebased > 150 && totals.conflicts > 30 && totals.gone > 15 && totals.discarded > 150, "\(totals)")
    #expect(totals.otherUsers > 300 && totals.ghosts > 150, "\(totals)")
  }

  @Test func theRealStoreIsAsGood() throws {
    let storage = try SQLiteStorage(path: nil)
    try storage.writeAndWait { try $0.run(script: StorageDialect.sqlite.script(CueStore.schema + CueStore.texts)) }
    let totals = try Self.run(1...40) { seed in
      .database(CueStore(storage: storage, deviceID: "device \(seed)", backendID: "b"))
    }
    #expect(totals.edits > 400 && totals.kills > 80, "\(totals)")
  }
}
