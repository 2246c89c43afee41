import Client
import Foundation
import JSON
import Support
import Testing
import Vault

@testable import Console
@testable import Observability
@testable import Redaction

/// Recordings on both engines.
@Suite(.timeLimit(.minutes(2))) struct RecordingStoreTests: SavedLogSuite {
  let key = SealingKey.random()

  private func surroundings(_ title: String) -> RecordingStore.Surroundings {
    RecordingStore.Surroundings(
      about: RecordingAbout(
        title: title, note: "", deviceName: "d", backendURL: "https://backend.test", isEmbedded: false, version: "1",
        session: "s",
        dropped: 7),
      timeline: [TimelineEntry(seq: 1, at: Timestamp(now), kind: .fault, to: "acted", name: "id", faultName: "f", rowID: "row")],
      faults: Array("[1]".utf8))
  }

  /// Calls `body` with a store whose device has 600 saved attempts, and with these.
  private func withLog(
    _ kind: StorageEngineKind, _ body: (RecordingStore, SavedLogStore, [NetworkRowDetail]) async throws -> Void
  ) async throws {
    var random = RandomLog(seed: 21)
    let log = log(2000, random.registry)
    try random.record(600, in: log)
    try await withStore(kind) { store in
      try await save(log, store)
      let saved = try await store.load(owner, limit: 2000, at: now).attempts
      try await body(RecordingStore(store: store), store, saved)
    }
  }

  private func at(_ second: Int64) -> Timestamp { Timestamp(milliseconds: 1_760_000_000_000 + second * 1000) }

  @Test(arguments: StorageEngineKind.allCases) func aCopyOfTheLogIsWhole(kind: StorageEngineKind) async throws {
    try await withLog(kind) { recordings, store, attempts in
      let made = try await recordings.save(owner, ids: nil, surroundings("all"), at: at(1))
      #expect(made.rows == 600)
      #expect(made.bytes == (try await store.number("SELECT CAST(sum(length(row) + length(rest)) AS BIGINT) FROM recording_row")))
      try await store.remove(deviceID: owner.deviceID)
      let saved = try #require(try await recordings.recording(made.id))
      let copied = try await recordings.attempts(of: saved, matching: NetworkFilter(), ids: nil)
      #expect(copied.map(\.json) == attempts.map(\.json))
      let one = try #require(attempts.dropFirst(300).first)
      #expect(try await recordings.attempt(one.row.id, of: saved)?.json == one.json)
      #expect(try await recordings.attempt("\0", of: saved) == nil)
      let (timeline, faults) = try await recordings.surroundings(of: saved)
      #expect(timeline.map(\.faultName) == ["f"] && faults == Array("[1]".utf8))
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aPageEndsWhereTheNextBegins(kind: StorageEngineKind) async throws {
    try await withLog(kind) { recordings, _, attempts in
      let made = try await recordings.save(owner, ids: nil, surroundings("all"), at: at(1))
      let saved = try #require(try await recordings.recording(made.id))
      for pairs in [[], [("status", "4xx")], [("q", "rpc")], [("status", "503")]] {
        var filter = try #require(NetworkFilter(queryPairs: pairs))
        let wanted = attempts.map(\.row).filter(filter.matches).map(\.seq)
        filter.limit = 70
        var found: [RowSequence] = []
        while true {
          let page = try await recordings.rows(of: saved, matching: filter)
          #expect(page.events.count <= 70 && page.dropped == 7 && page.capacity == 600)
          if page.events.isEmpty { break }
          found += page.events.map(\.seq)
          filter.after = page.next
        }
        #expect(found == wanted, "\(pairs)")
      }
      var filter = NetworkFilter()
      (filter.after, filter.limit) = (100, 5)
      let some = try await recordings.attempts(of: saved, matching: filter, ids: nil)
      #expect(some.map(\.row.seq.number) == Array(101...105))
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func selectedAndClearedRowsAreLeftOut(kind: StorageEngineKind) async throws {
    try await withLog(kind) { recordings, store, attempts in
      try await store.clear(through: 300, keepingEarlier: false, of: owner)
      let ids = Set(attempts.filter { $0.row.seq.number % 100 == 50 }.map(\.row.id))
      let made = try await recordings.save(owner, ids: ids, surroundings("some"), at: at(1))
      let saved = try #require(try await recordings.recording(made.id))
      let copied = try await recordings.attempts(of: saved, matching: NetworkFilter(), ids: nil)
      #expect(copied.map(\.row.seq) == [350, 450, 550])
      let log = try await recordings.compared(logOf: owner, name: "live")
      let recording = try await recordings.compared(saved)
      #expect(log.attemptCount == 300 && recording.attemptCount == 3)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func recordingsAreListedChangedAndRemoved(kind: StorageEngineKind) async throws {
    try await withStore(kind) { store in
      let recordings = RecordingStore(store: store)
      var saved: [SavedRecording] = []
      for (title, second) in [("b", 2), ("c", 3), ("a", 1), ("d", 3)] as [(String, Int64)] {
        let id = try await recordings.save(owner, ids: nil, surroundings(title), at: at(second)).id
        saved.append(try #require(try await recordings.recording(id)))
      }
      #expect(try await recordings.list().map(\.title) == ["d", "c", "b", "a"])
      #expect(try await recordings.change(saved[0], title: "new", note: nil)?.title == "new")
      #expect(try await recordings.change(saved[0], title: nil, note: "note")?.title == "new")
      #expect(try await recordings.recording(saved[0].recording.id)?.about.note == "note")
      #expect(try await recordings.remove(saved[1]))
      #expect(try await !recordings.remove(saved[1]))
      #expect(try await recordings.change(saved[1], title: "new", note: nil) == nil)
      #expect(try await recordings.list().map(\.title) == ["d", "new", "a"])
      #expect(try await store.recordingCount() == 3)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func whatIsNotCompleteIsNotSeen(kind: StorageEngineKind) async throws {
    try await withLog(kind) { recordings, store, attempts in
      let kept = try await recordings.begin(surroundings("kept"), at: at(1))
      let given = try await recordings.begin(surroundings("given up"), at: at(1))
      let lost = try await recordings.begin(surroundings("lost"), at: at(1))
      for open in [kept, given, lost] { try await recordings.add(Array(attempts.prefix(10)), to: open) }
      #expect(try await recordings.list().isEmpty)
      #expect(try await store.recordingCount() == 3)
      await recordings.abandon(given)
      let complete = try await recordings.complete(kept)
      #expect(complete.rows == 10)
      try await store.removeIncompleteRecordings()
      #expect(try await recordings.list().map(\.title) == ["kept"])
      #expect(try await store.number("SELECT count(*) FROM recording_row") == 10)
      // It was removed while rows were on their way.
      await #expect(throws: (any Error).self) { try await recordings.add(Array(attempts.prefix(1)), to: lost) }
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func thereIsALimit(kind: StorageEngineKind) async throws {
    try await withStore(kind) { store in
      let recordings = RecordingStore(store: store, limits: RecordingStore.Limits(total: 5))
      for _ in 0..<5 { _ = try await recordings.begin(surroundings("one"), at: at(1)) }
      await #expect(throws: Problem.tooManyRecordings(5)) { try await recordings.begin(surroundings("more"), at: at(1)) }
      #expect(try await store.recordingCount() == 5)
    }
  }
}
