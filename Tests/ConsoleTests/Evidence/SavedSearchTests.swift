import Foundation
import GRDB
import Support
import Testing
import Vault

@testable import Console
@testable import Observability
@testable import Redaction

/// A search in saved rows finds what the same filter finds in memory.
@Suite(.timeLimit(.minutes(2))) struct SavedSearchTests {
  private let owner = EvidenceOwner(deviceID: "device", backendID: "backend")
  private let store: EvidenceStore

  init() throws { store = EvidenceStore(database: try EvidenceDatabase.open(path: nil), key: .random()) }

  private func save(_ log: NetworkLog) async throws {
    try await store.save([
      EvidenceBatch(owner: owner, attempts: log.takeUnsaved(), next: log.nextSeq, timeline: [], faults: nil, isAwake: true)
    ])
  }

  private static let filters: [[(String, String)]] =
    [
      "rpc", "/rpc/A", "č", "%c4%8d", "[", "dana", "login", "LOGIN", "401", "4", "12", "get", "put", "offline", "cancelled", "d",
      "e",
      "dm", "\u{1}", "\n", "22222222", "nowhere",
    ].map { [("q", $0)] } + ["err", "4xx", "401", "5xx", "200"].map { [("status", $0)] }
    + [
      [], [("method", "get")], [("endpoint", "/rpc/a")], [("endpoint", "/RPC/A")], [("method", "post"), ("q", "rpc")],
      [("status", "401"), ("q", "login")], [("status", "err"), ("method", "put")], [("endpoint", "/rpc/b"), ("q", "b")],
      [("drift", "any")], [("drift", "missing"), ("q", "rpc")],
    ]

  @Test func everyFilterFindsTheSameRowsAsInMemory() async throws {
    var random = RandomLog(seed: 11)
    let log = NetworkLog(capacity: 2000, bodyBytes: 1 << 20, registry: random.registry) { _ in }
    log.restore([], older: 0, next: 1)
    for count in [1, 2, 150, 40, 7, 100] {
      try random.record(count, in: log)
      // Rows that had not ended change after their text was saved.
      for row in log.rows().events.suffix(3) where !row.state.isFinal { _ = try log.pin(id: row.id, isPinned: true) }
      try await save(log)
    }
    let all = log.rows().events
    var found = 0
    for pairs in Self.filters {
      let filter = try #require(NetworkFilter(queryPairs: pairs))
      let wanted = all.filter(filter.matches)
      found += wanted.isEmpty ? 0 : 1
      let rows = try await store.rows(before: 10_000, matching: filter, limit: 1000, of: owner).rows
      #expect(rows.map(\.seq) == wanted.map(\.seq), "\(pairs)")
      let newest = try await store.rows(before: 200, matching: filter, limit: 5, of: owner).rows
      #expect(newest.map(\.seq) == wanted.map(\.seq).filter { $0 < 200 }.suffix(5), "\(pairs)")
    }
    #expect(found > 15)
  }

  @Test func aRowIsFoundByWhatItSaysNow() async throws {
    let log = NetworkLog(capacity: 100, bodyBytes: 1 << 20, registry: SecretRegistry(tagKey: [7])) { _ in }
    log.restore([], older: 0, next: 1)
    let id = log.begin(.example, of: .example)
    log.flush()
    try await save(log)
    var filter = NetworkFilter()
    filter.text = "offline"
    #expect(try await store.rows(before: 10, matching: filter, limit: 10, of: owner).rows == [])
    log.finish(
      id,
      with: RawExchange(request: .example, response: nil, timings: NetworkTimings(total: 1), state: .failure, error: "offline"))
    log.flush()
    try await save(log)
    #expect(try await store.rows(before: 10, matching: filter, limit: 10, of: owner).rows.map(\.id) == [id])
  }

  @Test func theTextOfRowsThatAreGoneGoesToo() async throws {
    var limits = EvidenceLimits()
    limits.rows = 50
    let store = EvidenceStore(database: store.database, key: .random(), limits: limits)
    var random = RandomLog(seed: 3)
    let log = NetworkLog(capacity: 2000, bodyBytes: 1 << 20, registry: random.registry) { _ in }
    log.restore([], older: 0, next: 1)
    for _ in 0..<10 {
      try random.record(20, in: log)
      try await store.save([
        EvidenceBatch(owner: owner, attempts: log.takeUnsaved(), next: log.nextSeq, timeline: [], faults: nil, isAwake: true)
      ])
    }
    let facts = try await store.database.read { db in
      let text = try Int.fetchOne(db, sql: "SELECT count(*) FROM log_text") ?? 0
      let rows = try Int.fetchOne(db, sql: "SELECT sum(length(row) + length(rest)) FROM log_row") ?? 0
      let lines = try Int.fetchOne(db, sql: "SELECT sum(length(sealed)) FROM log_text") ?? 0
      return (text, rows + lines, try Int.fetchOne(db, sql: "SELECT bytes FROM evidence_device") ?? 0)
    }
    #expect(facts.0 < 10)
    #expect(facts.1 == facts.2)
  }
}
