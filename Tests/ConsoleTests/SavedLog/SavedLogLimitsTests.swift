import Client
import Foundation
import Support
import Testing
import Vault

@testable import Console
@testable import Observability
@testable import Redaction

/// What is saved stays within the limits, and goes as it was cleared.
@Suite(.timeLimit(.minutes(2))) struct SavedLogLimitsTests: SavedLogSuite {
  let key = SealingKey.random()

  @Test(arguments: StorageEngineKind.allCases) func theOldestGoFirstAndPinnedOnesLast(kind: StorageEngineKind) async throws {
    try await withStore(kind, { $0.rows = 10 }) { store in
      let log = log()
      let ids = (0..<30).map { _ in log.begin(.example, of: .example) }
      _ = try log.pin(id: ids[0], isPinned: true)
      try await save(log, store)
      #expect(try await store.load(owner, limit: 2000, at: now).attempts.map(\.row.seq.number) == [1] + Array(22...30))
      let pinned = log
      for id in ids.suffix(20) { _ = try pinned.pin(id: id, isPinned: true) }
      try await save(pinned, store)
      #expect(try await store.load(owner, limit: 2000, at: now).attempts.map(\.row.seq.number) == Array(21...30))
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func theBytesOfADeviceAreLimited(kind: StorageEngineKind) async throws {
    try await withStore(kind, { $0.bytes = 20_000 }) { store in
      let log = log()
      for _ in 0..<100 { _ = log.begin(.example, of: .example) }
      log.flush()
      try await save(log, store)
      let size = try await store.number(
        """
        SELECT CAST(sum(length(row) + length(rest)) + (SELECT sum(length(sealed)) FROM log_text) AS BIGINT) AS size FROM log_row
        """)
      let kept = try await store.load(owner, limit: 2000, at: now).attempts
      #expect(size <= 20_000 && size > 15_000 && kept.last?.row.seq == 100, "\(size)")
      #expect(try await store.number("SELECT bytes FROM evidence_device") == size)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func rowsOlderThan30DaysAreDeleted(kind: StorageEngineKind) async throws {
    try await withStore(kind) { store in
      let log = log()
      let ids = (0..<3).map { day in log.begin(.example, of: .at(Double(day) * 86_400)) }
      _ = try log.pin(id: ids[0], isPinned: true)
      try await save(log, store)
      let later = Date(timeIntervalSince1970: 31.5 * 86_400)
      #expect(try await store.load(owner, limit: 2000, at: later).attempts.map(\.row.seq) == [1, 3])
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func whatWasClearedIsHiddenAndComesBackOrGoes(kind: StorageEngineKind) async throws
  {
    try await withStore(kind) { store in
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
  }

  @Test(arguments: StorageEngineKind.allCases) func whatABatchChangesIsCounted(kind: StorageEngineKind) async throws {
    try await withStore(kind) { store in
      func check(rows: Int) async throws {
        let (saved, bytes) = try await store.largest()
        #expect(saved == rows)
        let size = try await store.number(
          """
          SELECT CAST(sum(length(row) + length(rest)) + (SELECT sum(length(sealed)) FROM log_text) AS BIGINT) AS size FROM log_row
          """)
        #expect(bytes == size)
      }
      let log = log()
      let ids = (0..<200).map { _ in log.begin(.example, of: .example) }
      log.flush()
      try await save(log, store)
      try await check(rows: 200)
      for id in ids.prefix(70) { _ = try log.pin(id: id, isPinned: true) }
      for id in ids.suffix(70) {
        log.finish(id, with: RawExchange(request: .example, response: nil, state: .failure, error: "offline"))
      }
      _ = log.begin(.example, of: .example)
      log.flush()
      try await save(log, store)
      try await check(rows: 201)
      // The same attempt in its old and its new state, of which the later one stays.
      let id = log.begin(.example, of: .example)
      log.flush()
      let old = try #require(log.detail(id: id))
      _ = try log.pin(id: id, isPinned: true)
      let new = try #require(log.detail(id: id))
      try await store.save([
        SavedLogBatch(owner: owner, attempts: [old, new], next: 203, timeline: [], faults: nil, isAwake: false)
      ])
      try await check(rows: 202)
      #expect(try await store.attempt(id: id, of: owner)?.row.isPinned == true)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func devicesThatAreGoneLoseTheirRows(kind: StorageEngineKind) async throws {
    try await withStore(kind) { store in
      for device in ["a", "b", "c"] {
        let log = log()
        _ = log.begin(.example, of: .example)
        log.flush()
        try await store.save([
          SavedLogBatch(
            owner: SavedLogOwner(deviceID: device, backendID: "backend"), attempts: log.takeUnsaved(), next: log.nextSeq,
            timeline: [], faults: nil, isAwake: false)
        ])
      }
      try await store.removeAll(but: ["b", "d"])
      #expect(try await store.number("SELECT count(*) FROM evidence_device WHERE device_id = 'b'") == 1)
      for table in ["evidence_device", "log_row", "log_text"] {
        #expect(try await store.number("SELECT count(*) FROM \(table)") == 1, "\(table)")
      }
    }
  }
}
