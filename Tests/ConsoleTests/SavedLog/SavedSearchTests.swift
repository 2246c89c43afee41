import Foundation
import HTTPTypes
import Support
import Testing
import Vault

@testable import Console
@testable import Observability
@testable import Redaction

/// A search in saved rows finds what the same filter finds in memory.
@Suite(.timeLimit(.minutes(2))) struct SavedSearchTests {
  private let owner = SavedLogOwner(deviceID: "device", backendID: "backend")

  /// Calls `body` with a store that keeps as many rows for a device.
  private func withStore(
    _ kind: StorageEngineKind, rows: Int = 1_000_000, _ body: (SavedLogStore) async throws -> Void
  ) async throws {
    var limits = SavedLogLimits()
    limits.rows = rows
    try await kind.withSavedLog { try await body(SavedLogStore(storage: $0, key: .random(), limits: limits)) }
  }

  private func save(_ log: NetworkLog, _ store: SavedLogStore) async throws {
    try await store.save([
      SavedLogBatch(owner: owner, attempts: log.takeUnsaved(), next: log.nextSeq, timeline: [], faults: nil, isAwake: true)
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

  @Test(arguments: StorageEngineKind.allCases) func everyFilterFindsTheSameRowsAsInMemory(kind: StorageEngineKind) async throws {
    try await withStore(kind) { store in
      var random = RandomLog(seed: 11)
      let log = NetworkLog(capacity: 2000, bodyBytes: 1 << 20, registry: random.registry) { _ in }
      log.restore([], older: 0, next: 1)
      for count in [1, 2, 150, 40, 7, 100] {
        try random.record(count, in: log)
        // Rows that had not ended change after their text was saved.
        for row in log.rows().events.suffix(3) where !row.state.isFinal { _ = try log.pin(id: row.id, isPinned: true) }
        try await save(log, store)
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
  }

  @Test(arguments: StorageEngineKind.allCases) func aRowIsFoundByWhatItSaysNow(kind: StorageEngineKind) async throws {
    try await withStore(kind) { store in
      let log = NetworkLog(capacity: 100, bodyBytes: 1 << 20, registry: SecretRegistry(tagKey: [7])) { _ in }
      log.restore([], older: 0, next: 1)
      let id = log.begin(.example, of: .example)
      log.flush()
      try await save(log, store)
      var filter = NetworkFilter()
      filter.text = "offline"
      #expect(try await store.rows(before: 10, matching: filter, limit: 10, of: owner).rows == [])
      log.finish(
        id,
        with: RawExchange(request: .example, response: nil, timings: NetworkTimings(total: 1), state: .failure, error: "offline"))
      log.flush()
      try await save(log, store)
      #expect(try await store.rows(before: 10, matching: filter, limit: 10, of: owner).rows.map(\.id) == [id])
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func theTextOfRowsThatAreGoneGoesToo(kind: StorageEngineKind) async throws {
    try await withStore(kind, rows: 50) { store in
      var random = RandomLog(seed: 3)
      let log = NetworkLog(capacity: 2000, bodyBytes: 1 << 20, registry: random.registry) { _ in }
      log.restore([], older: 0, next: 1)
      for _ in 0..<10 {
        try random.record(20, in: log)
        try await store.save([
          SavedLogBatch(owner: owner, attempts: log.takeUnsaved(), next: log.nextSeq, timeline: [], faults: nil, isAwake: true)
        ])
      }
      let text = try await store.number("SELECT count(*) FROM log_text")
      let rows = try await store.number("SELECT CAST(sum(length(row) + length(rest)) AS BIGINT) FROM log_row")
      let lines = try await store.number("SELECT CAST(sum(length(sealed)) AS BIGINT) FROM log_text")
      let bytes = try await store.number("SELECT bytes FROM evidence_device")
      #expect(text < 10)
      #expect(rows + lines == bytes)
    }
  }

  /// PostgreSQL stores no U+0000, and puts no long text into an index.
  @Test(arguments: StorageEngineKind.allCases) func anEndpointThatNoColumnTakesIsFound(kind: StorageEngineKind) async throws {
    var generator = SeededGenerator(seed: 1)
    let long = "/rpc/" + String((0..<4000).map { _ in "0123456789abcdefghijkl".randomElement(using: &generator) ?? "a" })
    let names = ["/rpc/\0", "/rpc/\u{FFFD}", long, "\(long)b", "/rpc/a"]
    try await withStore(kind) { store in
      let log = NetworkLog(capacity: 100, bodyBytes: 1 << 20, registry: SecretRegistry(tagKey: [7])) { _ in }
      log.restore([], older: 0, next: 1)
      for name in names {
        let request = RawRequest(
          method: .get, origin: "https://backend.test", path: "/rpc/a",
          endpoint: EndpointTraits(name: name, isAuthentication: false, logsRequestBody: true, logsResponseBody: true))
        _ = log.begin(request, of: .example)
      }
      log.flush()
      try await save(log, store)
      for (index, name) in names.enumerated() {
        var filter = NetworkFilter()
        filter.endpoint = name
        let rows = try await store.rows(before: 100, matching: filter, limit: 10, of: owner).rows
        #expect(rows.map(\.seq) == [RowSequence(clamping: index + 1)], "\(index)")
      }
      var filter = NetworkFilter()
      filter.method = "GE\0T"
      #expect(try await store.rows(before: 100, matching: filter, limit: 10, of: owner).rows.isEmpty)
      #expect(try await store.attempt(id: "\0", of: owner) == nil)
    }
  }
}
