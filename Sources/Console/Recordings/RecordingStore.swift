import Client
import FoundationEssentials
import GRDB
import JSON
import Observability
import Vault

/// Saves and reads recordings; they lie beside the logs that they were copied from, and outlive them.
struct RecordingStore: Sendable {
  /// The most recordings.
  static let limit = 1000
  /// How many rows are copied in one transaction, so that a large copy delays nobody.
  static let stride = 256

  let store: EvidenceStore

  /// What is saved with the rows.
  struct Surroundings: Sendable {
    var about: RecordingAbout
    let timeline: [TimelineEntry]
    /// The fault rules as a JSON array, redacted.
    let faults: [UInt8]
  }

  // MARK: Saving

  /// Copies the saved rows of a device, or those of them with an id, into a new recording.
  func save(_ owner: EvidenceOwner, ids: Set<String>?, _ surroundings: Surroundings, at now: Timestamp) async throws -> Recording
  {
    let from = EvidenceSeal(key: store.key, device: owner)
    let recording = try await begin(surroundings, at: now)
    var last: Int64 = -1
    while true {
      let (attempts, cursor) = try await store.database.fetch { [last] db -> ([NetworkRowDetail], Int64?) in
        guard let device = try EvidenceDevice.fetch(owner, db) else { return ([], nil) }
        let rows = try Row.fetchAll(
          db, sql: "SELECT seq, id, row, rest FROM log_row WHERE device = ? AND seq > ? ORDER BY seq LIMIT ?",
          arguments: [device.id, max(last, device.clearedThrough), Self.stride])
        let wanted = rows.filter { ids?.contains($0["id"] as String) ?? true }
        return (wanted.compactMap { from.attempt($0) }, rows.last?["seq"])
      }
      guard let cursor else { break }
      try await add(attempts, to: recording)
      last = cursor
    }
    return try await complete(recording)
  }

  /// Begins a recording, which nobody sees until it is complete; throws `Problem` if there are too many.
  func begin(_ surroundings: Surroundings, at now: Timestamp) async throws -> OpenRecording {
    let seal = seal(SecureRandom.uuid())
    let about = Data(seal.seal(try JSONCoding.encode(surroundings.about), .about))
    let timeline = Data(seal.seal(try JSONCoding.encode(surroundings.timeline), .timeline))
    let faults = Data(seal.seal(surroundings.faults, .faults))
    let number = try await store.database.write { db in
      guard try Int.fetchOne(db, sql: "SELECT count(*) FROM recording") ?? 0 < Self.limit else { throw Problem.tooManyRecordings }
      try db.execute(
        sql: "INSERT INTO recording (id, created_at, about, timeline, faults) VALUES (?, ?, ?, ?, ?)",
        arguments: [seal.device.deviceID, now.milliseconds, about, timeline, faults])
      return db.lastInsertedRowID
    }
    return OpenRecording(number: number, seal: seal)
  }

  /// Adds rows to a recording that is not complete.
  func add(_ attempts: [NetworkRowDetail], to recording: OpenRecording) async throws {
    let sealed = attempts.map { SealedAttempt($0, recording.seal) }
    try await store.database.write { db in
      let insert = try db.cachedStatement(
        sql: "INSERT INTO recording_row (recording, seq, id, method, endpoint, status, row, rest) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
      )
      for row in sealed {
        try insert.execute(
          arguments: [recording.number, row.seq, row.id, row.method, row.endpoint, row.status, row.row, row.rest ?? Data()])
      }
    }
  }

  /// Makes a recording visible.
  func complete(_ recording: OpenRecording) async throws -> Recording {
    try await store.database.write { db in
      try db.execute(
        sql: """
          UPDATE recording SET is_complete = 1,
            (rows, bytes) = (SELECT count(*), coalesce(sum(length(row) + length(rest)), 0) FROM recording_row WHERE recording = ?)
          WHERE recording = ?
          """, arguments: [recording.number, recording.number])
    }
    guard let saved = try await self.recording(recording.seal.device.deviceID) else { throw Problem.notFound }
    return saved.recording
  }

  /// Removes a recording that will not be complete.
  func abandon(_ recording: OpenRecording) async {
    _ = try? await store.database.write { db in
      try db.execute(sql: "DELETE FROM recording WHERE recording = ?", arguments: [recording.number])
    }
  }

  // MARK: The list

  /// The recordings, newest first; those that do not open are left out.
  func list() async throws -> [Recording] {
    try await store.database.fetch { db in
      try Row.fetchAll(db, sql: "SELECT * FROM recording WHERE is_complete ORDER BY created_at DESC, recording DESC")
        .compactMap { recording($0)?.recording }
    }
  }

  /// A recording with what is saved beside its rows; nil if there is none with the id.
  func recording(_ id: String) async throws -> SavedRecording? {
    try await store.database.fetch { db in
      try Row.fetchOne(db, sql: "SELECT * FROM recording WHERE is_complete AND id = ?", arguments: [id]).flatMap { recording($0) }
    }
  }

  private func recording(_ row: Row) -> SavedRecording? {
    let (id, seal) = (row["id"] as String, seal(row["id"]))
    guard let about = seal.open(row["about"] as Data, .about).flatMap({ try? JSONCoding.decode(RecordingAbout.self, from: $0) })
    else { return nil }
    let recording = Recording(
      id: id, title: about.title, note: about.note, createdAt: Timestamp(milliseconds: row["created_at"]), rows: row["rows"],
      bytes: row["bytes"], deviceName: about.deviceName, backendURL: about.backendURL, version: about.version)
    return SavedRecording(number: row["recording"], recording: recording, about: about, seal: seal)
  }

  /// Changes title and note; nil if there is none with the id.
  func change(_ id: String, title: String?, note: String?) async throws -> Recording? {
    guard var saved = try await recording(id) else { return nil }
    saved.about.title = title ?? saved.about.title
    saved.about.note = note ?? saved.about.note
    let about = Data(saved.seal.seal(try JSONCoding.encode(saved.about), .about))
    try await store.database.write { [number = saved.number] db in
      try db.execute(sql: "UPDATE recording SET about = ? WHERE recording = ?", arguments: [about, number])
    }
    (saved.recording.title, saved.recording.note) = (saved.about.title, saved.about.note)
    return saved.recording
  }

  /// Removes a recording; false if there is none with the id.
  func remove(_ id: String) async throws -> Bool {
    try await store.database.write { db in
      try db.execute(sql: "DELETE FROM recording WHERE id = ?", arguments: [id])
      return db.changesCount > 0
    }
  }

  /// Removes what was not completed before the console ended.
  func removeIncomplete() async throws {
    try await store.database.write { try $0.execute(sql: "DELETE FROM recording WHERE NOT is_complete") }
  }

  private func seal(_ id: String) -> EvidenceSeal {
    EvidenceSeal(key: store.key, device: EvidenceOwner(deviceID: id, backendID: "recording"))
  }
}

/// A recording that is being written.
struct OpenRecording: Sendable {
  let number: Int64
  let seal: EvidenceSeal
}

extension Problem {
  static let tooManyRecordings = Problem(.conflict, "There are \(RecordingStore.limit) recordings; delete some first.")
}
