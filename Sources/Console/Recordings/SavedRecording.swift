import JSON
import Observability
import Storage

/// A recording and the way to its rows.
struct SavedRecording: Sendable {
  let number: Int64
  var recording: Recording
  var about: RecordingAbout
  let seal: SavedLogSeal
}

extension RecordingStore {
  /// Ends the reading of rows.
  private struct StopReading: Error {}

  /// The rows that match, oldest first, as `GET /api/network` returns them.
  func rows(of saved: SavedRecording, matching filter: NetworkFilter) async throws -> NetworkPage {
    let limit = filter.limit ?? NetworkFilter.maximumLimit
    return try await store.storage.read { transaction in
      var events = [NetworkRow]()
      var last = filter.after ?? 0
      var isWhole = true
      try Self.each(
        "SELECT seq, row FROM recording_row WHERE recording = ? AND seq > ? ORDER BY seq", saved, filter, transaction
      ) { row in
        guard events.count < limit else {
          isWhole = false
          throw StopReading()
        }
        guard let document = saved.seal.open(try row.bytes("row"), .row, try row.seq),
          let decoded = try? JSONCoding.decode(NetworkRow.self, from: document)
        else { return }
        last = try row.seq
        if filter.matches(decoded) { events.append(decoded) }
      }
      if !isWhole { last = events.last?.seq ?? last }
      return NetworkPage(
        events: events, next: last, dropped: saved.about.dropped, capacity: max(1, saved.recording.rows), older: 0)
    }
  }

  /// One attempt; nil if there is none with the id.
  func attempt(_ id: String, of saved: SavedRecording) async throws -> NetworkRowDetail? {
    try await store.storage.read { transaction in
      try transaction.first(
        "SELECT seq, row, rest FROM recording_row WHERE recording = ? AND id = ?", saved.number, id.column
      ).flatMap { try saved.seal.attempt($0) }
    }
  }

  /// The attempts that match, oldest first, whole.
  func attempts(of saved: SavedRecording, matching filter: NetworkFilter, ids: Set<String>?) async throws -> [NetworkRowDetail] {
    try await store.storage.read { transaction in
      var found: [NetworkRowDetail] = []
      try Self.each(
        "SELECT seq, id, row, rest FROM recording_row WHERE recording = ? AND seq > ? ORDER BY seq", saved, filter, transaction
      ) { row in
        guard found.count < filter.limit ?? .max else { throw StopReading() }
        guard ids?.contains(try row.text("id")) ?? true, let attempt = try saved.seal.attempt(row), filter.matches(attempt.row)
        else { return }
        found.append(attempt)
      }
      return found
    }
  }

  /// Calls `body` with each row after the filter's, until it throws `StopReading`.
  private static func each(
    _ sql: String, _ saved: SavedRecording, _ filter: NetworkFilter, _ transaction: any StorageTransaction,
    _ body: (StorageRow) throws -> Void
  ) throws {
    do { try transaction.each(sql, saved.number, filter.after ?? 0, body: body) } catch is StopReading {}
  }

  /// The timeline, oldest first, and the fault rules as a JSON array.
  func surroundings(of saved: SavedRecording) async throws -> (timeline: [TimelineEntry], faults: [UInt8]) {
    try await store.storage.read { transaction in
      let row = try transaction.first("SELECT timeline, faults FROM recording WHERE recording = ?", saved.number)
      let timeline = try row.flatMap { saved.seal.open(try $0.bytes("timeline"), .timeline) }
        .flatMap { try? JSONCoding.decode([TimelineEntry].self, from: $0) }
      return (timeline ?? [], try row.flatMap { saved.seal.open(try $0.bytes("faults"), .faults) } ?? Array("[]".utf8))
    }
  }
}
