import FoundationEssentials
import GRDB
import JSON
import Observability

/// A recording and the way to its rows.
struct SavedRecording: Sendable {
  let number: Int64
  var recording: Recording
  var about: RecordingAbout
  let seal: EvidenceSeal
}

extension RecordingStore {
  /// The rows that match, oldest first, as `GET /api/network` answers them.
  func rows(of saved: SavedRecording, matching filter: NetworkFilter) async throws -> NetworkPage {
    let limit = filter.limit ?? NetworkFilter.maximumLimit
    return try await store.database.fetch { db in
      let cursor = try Row.fetchCursor(
        db, sql: "SELECT seq, row FROM recording_row WHERE recording = ? AND seq > ? ORDER BY seq",
        arguments: [saved.number, Int64(clamping: filter.after ?? 0)])
      var (events, last, isWhole) = ([NetworkRow](), filter.after ?? 0, true)
      while let row = try cursor.next() {
        guard events.count < limit else {
          isWhole = false
          break
        }
        guard let document = saved.seal.open(row["row"] as Data, .row, row.seq),
          let decoded = try? JSONCoding.decode(NetworkRow.self, from: document)
        else { continue }
        last = row.seq
        if filter.matches(decoded) { events.append(decoded) }
      }
      if !isWhole { last = events.last?.seq ?? last }
      return NetworkPage(
        events: events, next: last, dropped: saved.about.dropped, capacity: max(1, saved.recording.rows), older: 0)
    }
  }

  /// One attempt; nil if there is none with the id.
  func attempt(_ id: String, of saved: SavedRecording) async throws -> NetworkRowDetail? {
    try await store.database.fetch { db in
      try Row.fetchOne(
        db, sql: "SELECT seq, row, rest FROM recording_row WHERE recording = ? AND id = ?", arguments: [saved.number, id]
      ).flatMap { saved.seal.attempt($0) }
    }
  }

  /// The attempts that match, oldest first, whole.
  func attempts(of saved: SavedRecording, matching filter: NetworkFilter, ids: Set<String>?) async throws -> [NetworkRowDetail] {
    try await store.database.fetch { db in
      var found: [NetworkRowDetail] = []
      let cursor = try Row.fetchCursor(
        db, sql: "SELECT seq, id, row, rest FROM recording_row WHERE recording = ? AND seq > ? ORDER BY seq",
        arguments: [saved.number, Int64(clamping: filter.after ?? 0)])
      while found.count < filter.limit ?? .max, let row = try cursor.next() {
        guard ids?.contains(row["id"] as String) ?? true, let attempt = saved.seal.attempt(row), filter.matches(attempt.row)
        else { continue }
        found.append(attempt)
      }
      return found
    }
  }

  /// The timeline, oldest first, and the fault rules as a JSON array.
  func surroundings(of saved: SavedRecording) async throws -> (timeline: [TimelineEntry], faults: [UInt8]) {
    try await store.database.fetch { db in
      let row = try Row.fetchOne(
        db, sql: "SELECT timeline, faults FROM recording WHERE recording = ?", arguments: [saved.number])
      let timeline = row.flatMap { saved.seal.open($0["timeline"] as Data, .timeline) }
        .flatMap { try? JSONCoding.decode([TimelineEntry].self, from: $0) }
      return (timeline ?? [], row.flatMap { saved.seal.open($0["faults"] as Data, .faults) } ?? Array("[]".utf8))
    }
  }
}
