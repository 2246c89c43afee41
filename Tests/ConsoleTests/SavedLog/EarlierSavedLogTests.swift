import Client
import Foundation
import JSON
import Storage
import Support
import Testing
import Vault

@testable import Console
@testable import Observability
@testable import Redaction

/// Files of earlier versions, and of others.
@Suite(.timeLimit(.minutes(1))) struct EarlierSavedLogTests: SavedLogSuite {
  let key = SealingKey.random()
  private let folder: TemporaryFolder
  private var path: String { folder.file("evidence.sqlite") }

  init() throws { folder = try TemporaryFolder() }

  /// A log of 40 rows, of which the third is pinned.
  private func filledLog() throws -> NetworkLog {
    var random = RandomLog(seed: 9)
    let log = log(2000, random.registry)
    try random.record(40, in: log)
    for row in log.rows().events { _ = try log.pin(id: row.id, isPinned: row.seq == 3) }
    return log
  }

  private static let surroundings = RecordingStore.Surroundings(
    about: RecordingAbout(
      title: "Old", note: "n", deviceName: "d", backendURL: "https://backend.test", isEmbedded: false, version: "1", session: "s",
      dropped: 7),
    timeline: [], faults: Array("[]".utf8))

  /// Fills a file as the earlier version did; returns the attempts.
  private func fill() throws -> [NetworkRowDetail] {
    let log = try filledLog()
    let attempts = log.takeUnsaved()
    var plan = FaultPlan()
    _ = plan.arm(
      FaultRule(name: "Rule", preset: "preset", match: .init(method: "GET"), when: .init(), action: .init(.offline)), id: "1",
      at: .init(monotonic: .now, wall: now))
    let entry = TimelineEntry(seq: 1, at: Timestamp(now), kind: .fault, to: "acted", name: "id", faultName: "f", rowID: "row")
    let file = try EarlierSavedLogFile(path: path, key: key)
    try file.save(
      SavedLogBatch(owner: owner, attempts: attempts, next: log.nextSeq, timeline: [entry], faults: plan.entries, isAwake: false))
    try file.save(attempts, id: "5f0c1c5e-0000-4000-8000-000000000001", Self.surroundings)
    try file.close()
    return attempts
  }

  @Test func everythingOfAnEarlierVersionIsFound() async throws {
    let attempts = try fill()
    let storage = try await SavedLogSchema.open(path: path)
    let store = SavedLogStore(storage: storage, key: key)
    let saved = try await store.load(owner, limit: 10, at: now)
    #expect(saved.attempts.map(\.row.seq.number) == [3] + Array(31...40))
    #expect(saved.next == 41 && saved.older == 29)
    #expect(saved.gaps == [NetworkGap(after: 1, at: Timestamp(milliseconds: 1_760_000_000_000))])
    #expect(saved.timeline.map(\.faultName) == ["f"] && saved.faults.count == 1)
    for pairs in [[("q", "rpc")], [("status", "4xx")], [("method", "get")], [("endpoint", "/rpc/b")]] {
      let filter = try #require(NetworkFilter(queryPairs: pairs))
      let wanted = attempts.map(\.row).filter(filter.matches).map(\.seq)
      let rows = try await store.rows(before: 1000, matching: filter, limit: 1000, of: owner).rows
      #expect(rows.map(\.seq) == wanted && !wanted.isEmpty, "\(pairs)")
    }
    let recordings = RecordingStore(store: store)
    let list = try await recordings.list()
    #expect(list.map(\.title) == ["Old"] && list.first?.rows == 40)
    let id = try #require(list.first?.id)
    let recording = try #require(try await recordings.recording(id))
    let copied = try await recordings.attempts(of: recording, matching: NetworkFilter(), ids: nil)
    #expect(copied.map(\.row.id) == attempts.map(\.row.id))
    let all = try await store.load(owner, limit: 2000, at: now).attempts
    #expect(copied.map(\.json) == all.map(\.json))
    await storage.close()
  }

  @Test func aFileOfAnEarlierVersionIsWrittenFurther() async throws {
    _ = try fill()
    let storage = try await SavedLogSchema.open(path: path)
    let store = SavedLogStore(storage: storage, key: key)
    let (woken, _) = try await wake(store)
    _ = woken.begin(.example, of: .example)
    woken.flush()
    try await save(woken, store)
    let another = SavedLogOwner(deviceID: "another", backendID: "backend")
    let log = try filledLog()
    try await store.save([
      SavedLogBatch(owner: another, attempts: log.takeUnsaved(), next: 41, timeline: [], faults: nil, isAwake: false)
    ])
    let recordings = RecordingStore(store: store)
    let made = try await recordings.save(owner, ids: nil, Self.surroundings, at: Timestamp(now))
    #expect(made.rows == 41)
    #expect(try await recordings.list().map(\.rows) == [41, 40])
    #expect(try await store.load(owner, limit: 2000, at: now).attempts.count == 41)
    #expect(try await store.load(another, limit: 2000, at: now).attempts.count == 40)
    await storage.close()
    let isRefused = try EarlierSavedLogFile.isRefused(path)
    #expect(!isRefused, "nothing was added that the earlier version does not know")
  }

  @Test func pinnedRowsAreFoundByAnIndexInOldAndNewFiles() async throws {
    _ = try fill()
    for path in [path, folder.file("new.sqlite")] {
      let storage = try await SavedLogSchema.open(path: path)
      let plan = try await storage.read { transaction in
        // EXPLAIN runs nothing, so it would not notice that another connection has changed the schema.
        _ = try transaction.rows("SELECT seq FROM log_row LIMIT 1")
        return try transaction.rows(
          "EXPLAIN QUERY PLAN SELECT seq, row, rest FROM log_row WHERE device = ? AND is_pinned = 1 AND seq < ? ORDER BY seq", 1,
          9
        ).map { try $0.text("detail") }
      }
      let index = "USING INDEX log_row_is_pinned (device=? AND is_pinned=? AND seq<?)"
      #expect(plan.count == 1 && plan[0].contains(index), "\(plan)")
      await storage.close()
    }
  }

  @Test func aFileThatIsInUseIsReadAsItIs() async throws {
    _ = try fill()
    let used = try await SavedLogSchema.open(path: path, isShared: true)
    #expect(try await RecordingStore(store: SavedLogStore(storage: used, key: key)).list().count == 1)
    await used.close()
    await #expect(throws: SavedLogSchema.OtherVersion.self) {
      try await SavedLogSchema.open(path: folder.file("empty.sqlite"), isShared: true)
    }
  }

  @Test func aFileOfALaterVersionIsRefused() async throws {
    let storage = try await SavedLogSchema.open(path: path)
    try await storage.write { try $0.execute("INSERT INTO schema_migration (name) VALUES (?)", "3 later") }
    await storage.close()
    await #expect(throws: SavedLogSchema.OtherVersion.self) { try await SavedLogSchema.open(path: path, isShared: true) }
    await #expect(throws: StorageError.newerSchema(["3 later"])) { try await SavedLogSchema.open(path: path) }
  }

  @Test func temporaryFilesAreWhereTheCallerSays() async throws {
    let file = try await SavedLogSchema.open(path: path)
    #expect(SavedLogStore(storage: file, key: key).folder == folder.path)
    #expect(SavedLogStore(storage: file, key: key, folder: "/elsewhere").folder == "/elsewhere")
    let memory = try await SavedLogSchema.open(path: nil)
    #expect(SavedLogStore(storage: memory, key: key).folder == FileManager.default.temporaryDirectory.path)
  }
}
