import Client
import Foundation
import GRDB
import HTTPTypes
import JSON
import Support
import Testing
import Vault

@testable import Console
@testable import Observability
@testable import Redaction

/// What is saved comes back the same, sealed, within the limits, and as it was cleared.
@Suite(.timeLimit(.minutes(2))) struct EvidenceStoreTests {
  private let owner = EvidenceOwner(deviceID: "device", backendID: "backend")
  private let now = Date(timeIntervalSince1970: 1_760_000_100)
  private let key = SealingKey.random()

  private func store(_ path: String? = nil, _ change: (inout EvidenceLimits) -> Void = { _ in }) throws -> EvidenceStore {
    var limits = EvidenceLimits()
    change(&limits)
    return EvidenceStore(database: try EvidenceDatabase.open(path: path), key: key, limits: limits)
  }

  /// A log that is saved, as that of a device.
  private func log(_ capacity: Int = 2000, _ registry: SecretRegistry? = nil, bodyBytes: Int = 1 << 20) -> NetworkLog {
    let log = NetworkLog(capacity: capacity, bodyBytes: bodyBytes, registry: registry ?? SecretRegistry(tagKey: [7])) { _ in }
    log.restore([], older: 0, next: 1)
    return log
  }

  private func save(
    _ log: NetworkLog, _ store: EvidenceStore, timeline: [TimelineEntry] = [], faults: [SavedFault]? = nil, isAwake: Bool = false
  ) async throws {
    try await store.save([
      EvidenceBatch(
        owner: owner, attempts: log.takeUnsaved(), next: log.nextSeq, timeline: timeline, faults: faults, isAwake: isAwake)
    ])
  }

  /// A log filled with what is saved.
  private func wake(_ store: EvidenceStore, limit: Int = 2000) async throws -> (log: NetworkLog, saved: SavedEvidence) {
    let saved = try await store.load(owner, limit: limit, at: now)
    let log = NetworkLog(capacity: limit, bodyBytes: 1 << 20, registry: SecretRegistry(tagKey: [7])) { _ in }
    log.restore(saved.attempts, older: saved.older, next: saved.next, gaps: saved.gaps)
    return (log, saved)
  }

  private func details(_ log: NetworkLog) -> [NetworkRowDetail] {
    log.rows().events.compactMap { row in
      var detail = log.detail(id: row.id)
      detail?.fingerprint = 0
      return detail
    }
  }

  @Test func aThousandRandomLogsComeBackTheSame() async throws {
    let store = try store()
    for seed in 0..<1000 as Range<UInt64> {
      let owner = EvidenceOwner(deviceID: "device \(seed)", backendID: "backend")
      var random = RandomLog(seed: seed)
      let log = log(2000, random.registry)
      try random.record(4, in: log)
      let before = details(log)
      try await store.save([
        EvidenceBatch(owner: owner, attempts: log.takeUnsaved(), next: log.nextSeq, timeline: [], faults: nil, isAwake: false)
      ])
      let saved = try await store.load(owner, limit: 2000, at: now)
      #expect(saved.attempts == before, "seed \(seed)")
      #expect(saved.attempts.map(\.json) == before.map(\.json), "seed \(seed)")
      #expect(saved.next == 5 && saved.older == 0 && saved.gaps.isEmpty)
    }
  }

  @Test func whatHadNotEndedIsInterrupted() async throws {
    let store = try store()
    let log = log()
    let id = log.begin(.example, of: .example)
    log.flush()
    try await save(log, store, isAwake: true)
    let row = try #require(try await wake(store).log.rows().events.first)
    #expect(row.id == id && row.seq == 1 && row.state == .cancelled && row.error == "interrupted")
  }

  @Test func aProcessThatWasKilledLeavesAGapAndNoNumberIsUsedTwice() async throws {
    let store = try store()
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

  @Test func onlyTheNewestAndThePinnedAreReadAndTheOthersCanBe() async throws {
    let store = try store()
    let log = log()
    let ids = (0..<30).map { _ in log.begin(.example, of: .example) }
    _ = try log.pin(id: ids[4], isPinned: true)
    try await save(log, store)
    let (woken, saved) = try await wake(store, limit: 10)
    #expect(woken.rows().events.map(\.seq) == [5] + Array(21...30))
    #expect(woken.rows().older == 19 && saved.older == 19 && woken.rows().dropped == 0)
    let (older, rest) = try await store.rows(before: 21, matching: NetworkFilter(), limit: 7, of: owner)
    #expect(older.map(\.seq) == Array(14...20) && rest == 13)
    let detail = try await store.attempt(id: ids[2], of: owner)
    #expect(detail?.row.seq == 3)
    #expect(try await store.attempt(id: ids[2], of: EvidenceOwner(deviceID: "another", backendID: "backend")) == nil)
  }

  @Test func aFilterSelectsSavedRows() async throws {
    let store = try store()
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

  @Test func aBodyThatLeftTheMemoryStaysSaved() async throws {
    let store = try store()
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

  @Test func theOldestGoFirstAndPinnedOnesLast() async throws {
    let store = try store { $0.rows = 10 }
    let log = log()
    let ids = (0..<30).map { _ in log.begin(.example, of: .example) }
    _ = try log.pin(id: ids[0], isPinned: true)
    try await save(log, store)
    #expect(try await store.load(owner, limit: 2000, at: now).attempts.map(\.row.seq) == [1] + Array(22...30))
    let pinned = log
    for id in ids.suffix(20) { _ = try pinned.pin(id: id, isPinned: true) }
    try await save(pinned, store)
    #expect(try await store.load(owner, limit: 2000, at: now).attempts.map(\.row.seq) == Array(21...30))
  }

  @Test func theBytesOfADeviceAreLimited() async throws {
    let store = try store { $0.bytes = 20_000 }
    let log = log()
    for _ in 0..<100 { _ = log.begin(.example, of: .example) }
    log.flush()
    try await save(log, store)
    let size = try await store.database.read { db in
      try Int.fetchOne(
        db, sql: "SELECT sum(length(row) + length(rest)) + (SELECT sum(length(sealed)) FROM log_text) FROM log_row") ?? 0
    }
    let kept = try await store.load(owner, limit: 2000, at: now).attempts
    #expect(size <= 20_000 && size > 15_000 && kept.last?.row.seq == 100, "\(size)")
    #expect(try await store.database.read { try Int.fetchOne($0, sql: "SELECT bytes FROM evidence_device") } == size)
  }

  @Test func whatIsOlderThanThirtyDaysGoes() async throws {
    let store = try store()
    let log = log()
    let ids = (0..<3).map { day in log.begin(.example, of: .at(Double(day) * 86_400)) }
    _ = try log.pin(id: ids[0], isPinned: true)
    try await save(log, store)
    let later = Date(timeIntervalSince1970: 31.5 * 86_400)
    #expect(try await store.load(owner, limit: 2000, at: later).attempts.map(\.row.seq) == [1, 3])
  }

  @Test func whatWasClearedIsHiddenAndComesBackOrGoes() async throws {
    let store = try store()
    let log = log()
    let ids = (0..<3).map { _ in log.begin(.example, of: .example) }
    log.flush()
    try await save(log, store)
    try await store.clear(through: 3, keepingEarlier: false, of: owner)
    #expect(try await store.attempt(id: ids[0], of: owner) == nil)
    #expect(try await store.rows(before: 100, matching: NetworkFilter(), limit: 10, of: owner).rows.isEmpty)
    try await store.restoreCleared(of: owner)
    #expect(try await store.rows(before: 100, matching: NetworkFilter(), limit: 10, of: owner).rows.count == 3)
    try await store.clear(through: 2, keepingEarlier: false, of: owner)
    try await store.clear(through: 3, keepingEarlier: false, of: owner)
    try await store.restoreCleared(of: owner)
    #expect(
      try await store.rows(before: 100, matching: NetworkFilter(), limit: 10, of: owner).rows.map(\.seq) == [3],
      "only the last clearing can be undone")
    try await store.clear(through: 3, keepingEarlier: false, of: owner)
    let saved = try await store.load(owner, limit: 10, at: now)
    #expect(saved.attempts.isEmpty && saved.next == 4, "whoever wakes finds it gone, and the numbers go on")
  }

  @Test func nothingOfARequestStandsInTheFileAndForeignBytesDoNotOpen() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/evidence.sqlite"
    var random = RandomLog(seed: 5)
    let log = log(2000, random.registry)
    try random.record(50, in: log)
    do {
      let store = try store(path)
      try await save(log, store)
      for name in ["evidence.sqlite", "evidence.sqlite-wal"] {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/" + name))
        for text in ["dana", "žluťoučký", "a-refresh-token", "X-Number", "backend.test", "‹"] {
          #expect(bytes.range(of: Data(text.utf8)) == nil, "\(text) in \(name)")
        }
      }
      // Another device's rows under this device's name, and rows in each other's place.
      try await store.database.write { db in
        try db.execute(sql: "UPDATE log_row SET row = (SELECT row FROM log_row WHERE seq = 2) WHERE seq = 1")
      }
      #expect(try await store.load(owner, limit: 2000, at: now).attempts.map(\.row.seq) == Array(2...50))
      try await store.database.write { try $0.execute(sql: "UPDATE evidence_device SET device_id = 'another'") }
      let another = EvidenceOwner(deviceID: "another", backendID: "backend")
      #expect(try await store.load(another, limit: 2000, at: now).attempts.isEmpty)
    }
    let foreign = EvidenceStore(database: try EvidenceDatabase.open(path: path), key: .random())
    #expect(try await foreign.load(owner, limit: 2000, at: now).attempts.isEmpty)
  }

  @Test func theTimelineAndTheFaultsComeBack() async throws {
    let store = try store()
    let entries = (1...1005 as ClosedRange<UInt64>).map { seq in
      TimelineEntry(seq: seq, at: Timestamp(now), kind: .fault, to: "acted", name: "id", faultName: "Train Wi-Fi", rowID: "row")
    }
    let moment = FaultPlan.Moment(monotonic: .now, wall: now)
    var plan = FaultPlan()
    let answer = FaultAnswer(status: 418, headers: [], body: FaultText("‹token:3f1c09ab›", value: "a secret"))
    for (number, kind) in FaultKind.allCases.enumerated() {
      let rule = FaultRule(
        name: "Rule \(number)", preset: "preset",
        match: .init(method: "GET", endpoint: "/rpc/a", path: FaultText("/a"), query: FaultText("b"), body: FaultText("{}")),
        when: .init(skip: 1, every: 2, count: 3, probability: 0.5, seed: .max),
        action: .init(
          kind, status: 500, code: "Err", retryAfterSeconds: 1, latencyMilliseconds: 2, skewSeconds: -3, answer: answer))
      _ = plan.arm(rule, id: "\(number)", forSeconds: 60, at: moment)
    }
    try await save(log(), store, timeline: Array(entries.prefix(600)), faults: plan.saved)
    try await save(log(), store, timeline: Array(entries.suffix(405)))
    let saved = try await store.load(owner, limit: 10, at: now)
    #expect(saved.timeline == Array(entries.suffix(1000)))
    let later = FaultPlan.Moment(monotonic: moment.monotonic + .seconds(1000), wall: now.addingTimeInterval(59))
    let back = FaultPlan(saved.faults, at: later)
    #expect(back.entries.map(\.id) == plan.entries.map(\.id))
    for (one, other) in zip(back.entries, plan.entries) {
      #expect(one.rule.when == other.rule.when && one.rule.match == other.rule.match && one.rule.name == other.rule.name)
      #expect(one.rule.action.kind == other.rule.action.kind && one.rule.action.skewSeconds == -3)
      #expect(one.rule.action.answer?.body == FaultText("‹token:3f1c09ab›"), "no secret is saved")
      #expect(one.state(at: later.monotonic) == .armed && one.state(at: later.monotonic + .seconds(2)) == .expired)
    }
    try await store.remove(deviceID: "device")
    #expect(try await store.load(owner, limit: 10, at: now).timeline.isEmpty)
  }
}
