import Client
import Foundation
import HTTPTypes
import JSON
import Storage
import Support
import Testing
import Vault

@testable import Console
@testable import Observability
@testable import Redaction

/// What is saved comes back the same, sealed, within the limits, and as it was cleared.
@Suite(.timeLimit(.minutes(2))) struct SavedLogStoreTests: SavedLogSuite {
  let key = SealingKey.random()

  private func details(_ log: NetworkLog) -> [NetworkRowDetail] {
    log.rows().events.compactMap { row in
      var detail = log.detail(id: row.id)
      detail?.fingerprint = 0
      return detail
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func randomLogsComeBackTheSame(kind: StorageEngineKind) async throws {
    try await withStore(kind) { store in
      for seed in 0..<UInt64(Rounds.scaled(100)) {
        let owner = SavedLogOwner(deviceID: "device \(seed)", backendID: "backend")
        var random = RandomLog(seed: seed)
        let log = log(2000, random.registry)
        try random.record(4, in: log)
        let before = details(log)
        try await store.save([
          SavedLogBatch(owner: owner, attempts: log.takeUnsaved(), next: log.nextSeq, timeline: [], faults: nil, isAwake: false)
        ])
        let saved = try await store.load(owner, limit: 2000, at: now)
        #expect(saved.attempts == before, "seed \(seed)")
        #expect(saved.attempts.map(\.json) == before.map(\.json), "seed \(seed)")
        #expect(saved.next == 5 && saved.older == 0 && saved.gaps.isEmpty)
      }
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func whatHadNotEndedIsInterrupted(kind: StorageEngineKind) async throws {
    try await withStore(kind) { store in
      let log = log()
      let id = log.begin(.example, of: .example)
      log.flush()
      try await save(log, store, isAwake: true)
      let row = try #require(try await wake(store).log.rows().events.first)
      #expect(row.id == id && row.seq == 1 && row.state == .cancelled && row.error == "interrupted")
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aProcessThatWasKilledLeavesAGapAndNoNumberIsUsedTwice(kind: StorageEngineKind)
    async throws
  {
    try await withStore(kind) { store in
      let log = log()
      _ = log.begin(.example, of: .example)
      log.flush()
      try await save(log, store, isAwake: true)
      // Two more were shown and never saved.
      for _ in 0..<2 { _ = log.begin(.example, of: .example) }
      log.flush()
      let (woken, saved) = try await wake(store)
      #expect(saved.gaps == [NetworkGap(after: 1, at: Timestamp(now))])
      _ = woken.begin(.example, of: .example)
      let rows = woken.rows()
      #expect(rows.events.count == 2 && rows.events[1].seq > 3)
      #expect(rows.gaps == saved.gaps && woken.rows(filter: .after(1)).events.map(\.seq) == [rows.events[1].seq])
      try await save(woken, store)
      #expect(try await wake(store).saved.gaps == saved.gaps, "it stays where it was, and a proper end adds none")
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func onlyTheNewestAndThePinnedAreReadAndTheOthersCanBe(kind: StorageEngineKind)
    async throws
  {
    try await withStore(kind) { store in
      let log = log()
      let ids = (0..<30).map { _ in log.begin(.example, of: .example) }
      _ = try log.pin(id: ids[4], isPinned: true)
      try await save(log, store)
      let (woken, saved) = try await wake(store, limit: 10)
      #expect(woken.rows().events.map(\.seq.number) == [5] + Array(21...30))
      #expect(woken.rows().older == 19 && saved.older == 19 && woken.rows().dropped == 0)
      let (older, rest) = try await store.rows(before: 21, matching: NetworkFilter(), limit: 7, of: owner)
      #expect(older.map(\.seq.number) == Array(14...20) && rest == 13)
      let detail = try await store.attempt(id: ids[2], of: owner)
      #expect(detail?.row.seq == 3)
      #expect(try await store.attempt(id: ids[2], of: SavedLogOwner(deviceID: "another", backendID: "backend")) == nil)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aFilterSelectsSavedRows(kind: StorageEngineKind) async throws {
    try await withStore(kind) { store in
      var random = RandomLog(seed: 3)
      let log = log(2000, random.registry)
      try random.record(200, in: log)
      try await save(log, store)
      for query in [
        [("method", "get")], [("status", "4xx")], [("status", "err")], [("endpoint", "/rpc/b")], [("q", "%C4")],
        [("status", "204")],
      ] {
        let filter = try #require(NetworkFilter(queryPairs: query))
        let (rows, _) = try await store.rows(before: 1000, matching: filter, limit: 1000, of: owner)
        #expect(rows == log.rows(filter: filter).events && !rows.isEmpty, "\(query)")
      }
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aBodyThatLeftTheMemoryStaysSaved(kind: StorageEngineKind) async throws {
    try await withStore(kind) { store in
      let log = log(2000, nil, bodyBytes: 300)
      let ids = (0..<5).map { number -> String in
        let id = log.begin(.example, of: .example)
        let body = Array("{\"text\":\"\(String(repeating: "a", count: 150)) \(number)\"}".utf8)
        log.finish(
          id, with: RawExchange(request: .example, response: RawResponse(status: 200, headers: [], body: body), state: .success))
        return id
      }
      log.flush()
      let first = try #require(log.detail(id: ids[0]))
      #expect(first.response?.bodyNote == .dropped, "the memory holds two of them")
      _ = try log.pin(id: ids[0], isPinned: true)
      try await save(log, store)
      _ = try log.pin(id: ids[0], isPinned: false)
      try await save(log, store)
      for (number, id) in ids.enumerated() {
        let saved = try #require(try await store.attempt(id: id, of: owner))
        #expect(saved.response?.body?.hasSuffix(" \(number)\"}") == true && saved.row.isPinned == false)
      }
    }
  }

  @Test func nothingOfARequestStandsInTheFile() async throws {
    let folder = try TemporaryFolder()
    var random = RandomLog(seed: 5)
    let log = log(2000, random.registry)
    try random.record(50, in: log)
    let store = SavedLogStore(storage: try await SavedLogSchema.open(path: folder.file("evidence.sqlite")), key: key)
    #expect(store.folder == folder.path)
    try await save(log, store)
    for name in ["evidence.sqlite", "evidence.sqlite-wal"] {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))
      for text in Self.secrets { #expect(bytes.range(of: Data(text.utf8)) == nil, "\(text) in \(name)") }
    }
  }

  /// What `RandomLog` has in its requests.
  private static let secrets = ["dana", "žluťoučký", "a-refresh-token", "X-Number", "backend.test", "‹"]

  @Test(arguments: StorageEngineKind.allCases) func nothingOfARequestStandsInTheRowsAndForeignBytesDoNotOpen(
    kind: StorageEngineKind
  ) async throws {
    var random = RandomLog(seed: 5)
    let log = log(2000, random.registry)
    try random.record(50, in: log)
    try await withStore(kind) { store in
      try await save(log, store)
      let sealed = try await store.storage.read { transaction in
        try transaction.rows("SELECT row, rest FROM log_row").flatMap { [try $0.bytes("row"), try $0.bytes("rest")] }
          + transaction.rows("SELECT sealed FROM log_text").map { try $0.bytes("sealed") }
      }
      for bytes in sealed {
        for text in Self.secrets { #expect(Data(bytes).range(of: Data(text.utf8)) == nil, "\(text)") }
      }
      // Another device's rows under this device's name, and rows in each other's place.
      try await store.execute("UPDATE log_row SET row = (SELECT row FROM log_row WHERE seq = 2) WHERE seq = 1")
      #expect(try await store.load(owner, limit: 2000, at: now).attempts.map(\.row.seq.number) == Array(2...50))
      let foreign = SavedLogStore(storage: store.storage, key: .random())
      #expect(try await foreign.load(owner, limit: 2000, at: now).attempts.isEmpty)
      try await store.execute("UPDATE evidence_device SET device_id = 'another'")
      let another = SavedLogOwner(deviceID: "another", backendID: "backend")
      #expect(try await store.load(another, limit: 2000, at: now).attempts.isEmpty)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func theTimelineAndTheFaultsComeBack(kind: StorageEngineKind) async throws {
    try await withStore(kind) { store in
      let entries = (1...1005 as ClosedRange<UInt64>).map { seq in
        TimelineEntry(
          seq: RowSequence(clamping: seq), at: Timestamp(now), kind: .fault, to: "acted", name: "id", faultName: "Train Wi-Fi",
          rowID: "row")
      }
      let moment = FaultPlan.Moment(monotonic: .now, wall: now)
      var plan = FaultPlan()
      for (number, kind) in FaultKind.allCases.enumerated() {
        let rule = FaultRule(
          name: "Rule \(number)", preset: "preset",
          match: .init(method: "GET", endpoint: "/rpc/a", path: FaultText("/a"), query: FaultText("b"), body: FaultText("{}")),
          when: .init(skip: 1, every: 2, count: 3, probability: 0.5, seed: 9_007_199_254_740_991),
          action: .init(
            kind, status: 500, code: "Err", retryAfterSeconds: 1, latencyMilliseconds: 2, skewSeconds: -3,
            headers: [.init(name: "Allow", value: FaultText("GET"))],
            body: FaultText("‹token:3f1c09ab›", value: "a secret")), lifetime: 60)
        _ = plan.arm(rule, id: "\(number)", at: moment)
      }
      try await save(log(), store, timeline: Array(entries.prefix(600)), faults: plan.entries)
      try await save(log(), store, timeline: Array(entries.suffix(405)))
      let saved = try await store.load(owner, limit: 10, at: now)
      #expect(saved.timeline == Array(entries.suffix(1000)))
      let later = FaultPlan.Moment(monotonic: moment.monotonic + .seconds(1000), wall: now.addingTimeInterval(59))
      let back = FaultPlan(saved.faults, at: later)
      #expect(back.entries.map(\.id) == plan.entries.map(\.id))
      for (one, other) in zip(back.entries, plan.entries) {
        #expect(one.rule.when == other.rule.when && one.rule.match == other.rule.match && one.rule.name == other.rule.name)
        #expect(one.rule.action.kind == other.rule.action.kind && one.rule.action.skewSeconds == -3)
        #expect(one.rule.action.headers == other.rule.action.headers && one.rule.lifetime == 60)
        #expect(one.rule.action.body == FaultText("‹token:3f1c09ab›"), "no secret is saved")
        #expect(one.state(at: later.monotonic) == .armed && one.state(at: later.monotonic + .seconds(2)) == .expired)
      }
      try await store.remove(deviceID: "device")
      #expect(try await store.load(owner, limit: 10, at: now).timeline.isEmpty)
    }
  }
}
