import Domain
import JSON
import Observability
import Storage
import Vault

/// Saves and reads recordings; they are stored with the logs that they were copied from, and outlive them.
struct RecordingStore: Sendable {
  /// How many recordings there can be in all, in one workspace, and of one person.
  struct Limits: Sendable {
    var total = 1000
    var workspace = 200
    var person = 300
  }

  /// How many rows are copied in one transaction, so that a large copy does not delay other work.
  private static let stride = 256

  let store: SavedLogStore
  var limits = Limits()

  /// The data that is saved with the rows.
  struct Surroundings: Sendable {
    var about: RecordingAbout
    let timeline: [TimelineEntry]
    /// The fault rules as a JSON array, redacted.
    let faults: [UInt8]
  }

  // MARK: Saving

  /// Copies the saved rows of a device, or those with the given ids, into a new recording.
  ///
  /// Deletes the recording if `check` throws, which is called when all rows are copied.
  func save(
    _ owner: SavedLogOwner, ids: Set<String>?, _ surroundings: Surroundings, at now: Timestamp,
    check: () async throws -> Void = {}
  ) async throws -> Recording {
    let recording = try await begin(surroundings, at: now)
    do {
      try await copy(owner, ids: ids, to: recording)
      try await check()
      return try await complete(recording)
    } catch {
      await abandon(recording)
      throw error
    }
  }

  private func copy(_ owner: SavedLogOwner, ids: Set<String>?, to recording: OpenRecording) async throws {
    let from = SavedLogSeal(key: store.key, device: owner)
    var last: RowSequence = 0
    while true {
      let (attempts, cursor) = try await store.storage.read { [last] transaction -> ([NetworkRowDetail], RowSequence?) in
        guard let device = try SavedLogDeviceRow.fetch(owner, transaction) else { return ([], nil) }
        let rows = try transaction.rows(
          "SELECT seq, id, row, rest FROM log_row WHERE device = ? AND seq > ? ORDER BY seq LIMIT ?", device.id,
          max(last, device.clearedThrough), Self.stride)
        let wanted = try rows.filter { ids?.contains(try $0.text("id")) ?? true }
        return (try wanted.compactMap { try from.attempt($0) }, try rows.last?.seq)
      }
      guard let cursor else { break }
      try await add(attempts, to: recording)
      last = cursor
    }
  }

  /// Begins a recording, which stays invisible until it is complete; throws `Problem` if there are too many.
  func begin(_ surroundings: Surroundings, at now: Timestamp) async throws -> OpenRecording {
    let seal = seal(SecureRandom.uuid())
    let about = seal.seal(try JSONCoding.encode(surroundings.about), .about)
    let timeline = seal.seal(try JSONCoding.encode(surroundings.timeline), .timeline)
    let faults = seal.seal(surroundings.faults, .faults)
    let made = try await store.storage.write { transaction in
      guard try transaction.number("SELECT count(*) AS count FROM recording") ?? 0 < limits.total else {
        throw Problem.tooManyRecordings(limits.total)
      }
      try checkRoom(in: surroundings.about.workspace, of: surroundings.about.person, transaction)
      return try transaction.number(
        "INSERT INTO recording (id, created_at, about, timeline, faults) VALUES (?, ?, ?, ?, ?) RETURNING recording",
        seal.device.deviceID, now.milliseconds, about, timeline, faults)
    }
    guard let made else { throw Problem.internalError }
    return OpenRecording(number: made, seal: seal)
  }

  /// Throws `Problem` if a workspace or a person has the maximum number of recordings; incomplete recordings count.
  private func checkRoom(in workspace: String?, of person: String?, _ transaction: any StorageTransaction) throws {
    guard workspace != nil || person != nil else { return }
    var placed = 0
    var made = 0
    try eachAbout(transaction) { _, about in
      if workspace != nil, about.workspace == workspace { placed += 1 }
      if person != nil, about.person == person { made += 1 }
    }
    guard placed < limits.workspace else { throw Problem.tooManyInWorkspace(limits.workspace) }
    guard made < limits.person else { throw Problem.tooManyOfPerson(limits.person) }
  }

  /// Adds rows to a recording that is not complete.
  func add(_ attempts: [NetworkRowDetail], to recording: OpenRecording) async throws {
    let sealed = attempts.map { SealedAttempt($0, recording.seal) }
    try await store.storage.write { transaction in
      for row in sealed {
        try transaction.execute(
          "INSERT INTO recording_row (recording, seq, id, method, endpoint, status, row, rest) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
          recording.number, row.seq, row.id, row.method, row.endpoint, row.status, row.row, row.rest ?? [])
      }
    }
  }

  /// Makes a recording visible.
  func complete(_ recording: OpenRecording) async throws -> Recording {
    try await store.storage.write { transaction in
      try transaction.execute(
        """
        UPDATE recording SET is_complete = 1,
          (rows, bytes) = (
            SELECT count(*), CAST(coalesce(sum(length(row) + length(rest)), 0) AS BIGINT) FROM recording_row WHERE recording = ?)
        WHERE recording = ?
        """, recording.number, recording.number)
    }
    guard let saved = try await self.recording(recording.seal.device.deviceID) else { throw Problem.notFound }
    return saved.recording
  }

  /// Deletes an incomplete recording, even if the caller was canceled.
  func abandon(_ recording: OpenRecording) async {
    let storage = store.storage
    await Task {
      _ = try? await storage.write { try $0.execute("DELETE FROM recording WHERE recording = ?", recording.number) }
    }.value
  }

  // MARK: The list

  /// The columns of a recording that are read.
  private static let columns = "recording, id, created_at, rows, bytes, about"

  /// The recordings that a caller can read, newest first; leaves out those that do not open.
  func list(_ scope: RecordingScope = RecordingScope()) async throws -> [Recording] {
    try await store.storage.read { transaction in
      try transaction.rows(
        "SELECT \(Self.columns) FROM recording WHERE is_complete = 1 ORDER BY created_at DESC, recording DESC"
      ).compactMap { try recording($0)?.recording }.filter { scope.allows(.read, in: $0.workspace) }
    }
  }

  /// A recording with the data saved in addition to its rows; nil if there is none with the id.
  func recording(_ id: String) async throws -> SavedRecording? {
    try await store.storage.read { try recording(id, $0) }
  }

  private func recording(_ id: String, _ transaction: any StorageTransaction) throws -> SavedRecording? {
    try transaction.first("SELECT \(Self.columns) FROM recording WHERE is_complete = 1 AND id = ?", id.column)
      .flatMap { try recording($0) }
  }

  private func recording(_ row: StorageRow) throws -> SavedRecording? {
    let id = try row.text("id")
    guard let about = try about(row) else { return nil }
    let recording = Recording(
      id: id, title: about.title, note: about.note, createdAt: Timestamp(milliseconds: try row.integer("created_at")),
      rows: try row.int("rows"), bytes: try row.int("bytes"), deviceName: about.deviceName, backendURL: about.backendURL,
      version: about.version, workspace: about.workspace)
    return SavedRecording(number: try row.integer("recording"), recording: recording, about: about, seal: seal(id))
  }

  /// Changes the given values; nil if the recording was deleted, or moved to another workspace since it was read.
  ///
  /// Throws `Problem` if it is moved to a workspace that is full.
  func change(_ known: SavedRecording, title: String?, note: String?, workspace: String? = nil) async throws -> Recording? {
    try await store.storage.write { transaction in
      guard var saved = try current(known, transaction) else { return nil }
      if let workspace, saved.about.workspace != workspace { try checkRoom(in: workspace, of: nil, transaction) }
      saved.about.title = title ?? saved.about.title
      saved.about.note = note ?? saved.about.note
      saved.about.workspace = workspace ?? saved.about.workspace
      let about = saved.seal.seal(try JSONCoding.encode(saved.about), .about)
      try transaction.execute("UPDATE recording SET about = ? WHERE recording = ?", about, saved.number)
      return try recording(saved.recording.id, transaction)?.recording
    }
  }

  /// Deletes a recording; false if it was deleted already, or moved to another workspace since it was read.
  func remove(_ known: SavedRecording) async throws -> Bool {
    try await store.storage.write { transaction in
      guard let saved = try current(known, transaction) else { return false }
      return try transaction.execute("DELETE FROM recording WHERE recording = ?", saved.number) > 0
    }
  }

  /// The recording as it is now, if it is still in its workspace.
  private func current(_ known: SavedRecording, _ transaction: any StorageTransaction) throws -> SavedRecording? {
    try recording(known.recording.id, transaction).flatMap { $0.about.workspace == known.about.workspace ? $0 : nil }
  }

  /// Deletes recordings that were not completed before the console ended; with an instant, only those that began before it.
  func removeIncomplete(before end: Timestamp? = nil) async throws {
    try await store.storage.write { transaction in
      try transaction.execute(
        "DELETE FROM recording WHERE is_complete = 0 AND created_at < ?", end?.milliseconds ?? Int64.max)
    }
  }

  private func seal(_ id: String) -> SavedLogSeal {
    SavedLogSeal(key: store.key, device: SavedLogOwner(deviceID: id, backendID: "recording"))
  }
}

/// A recording that is being written.
struct OpenRecording: Sendable {
  let number: Int64
  let seal: SavedLogSeal
}

extension Problem {
  static func tooManyInWorkspace(_ count: Int) -> Problem {
    Problem(.conflict, "The workspace has \(count) recordings; delete some first.")
  }
  static func tooManyOfPerson(_ count: Int) -> Problem {
    Problem(.conflict, "This person has made \(count) recordings; delete some first.")
  }
  static func tooManyRecordings(_ count: Int) -> Problem {
    Problem(.conflict, "There are \(count) recordings; delete some first.")
  }
}

extension RecordingStore {
  /// The most rows of each of two logs that are compared.
  private static let comparisonLimit = 20_000

  /// A recording as it is compared; throws `Problem` if it has too many rows.
  func compared(_ saved: SavedRecording) async throws -> ComparedRecording {
    var recording = ComparedRecording(saved.recording.title)
    try await eachRow(of: saved) { recording.add($0) }
    return recording
  }

  /// Calls `take` with the rows of a recording; throws `Problem` if it has too many.
  func eachRow(of saved: SavedRecording, limit: Int = comparisonLimit, _ take: (NetworkRowDetail) -> Void) async throws {
    guard saved.recording.rows <= limit else { throw Problem.tooManyRows(limit) }
    try await eachRow(
      saved.seal, limit, take,
      read: { last, transaction in
        try transaction.rows(
          "SELECT seq, row, rest FROM recording_row WHERE recording = ? AND seq > ? ORDER BY seq LIMIT ?", saved.number, last,
          Self.stride)
      })
  }

  /// The saved log of a device as it is compared; throws `Problem` if it has too many rows.
  func compared(logOf owner: SavedLogOwner, name: String) async throws -> ComparedRecording {
    var recording = ComparedRecording(name)
    try await eachRow(ofLog: owner) { recording.add($0) }
    return recording
  }

  /// Calls `take` with the rows of a device's saved log; throws `Problem` if it has too many.
  func eachRow(ofLog owner: SavedLogOwner, limit: Int = comparisonLimit, _ take: (NetworkRowDetail) -> Void) async throws {
    try await eachRow(
      SavedLogSeal(key: store.key, device: owner), limit, take,
      read: { last, transaction in
        guard let device = try SavedLogDeviceRow.fetch(owner, transaction) else { return [] }
        return try transaction.rows(
          "SELECT seq, row, rest FROM log_row WHERE device = ? AND seq > ? ORDER BY seq LIMIT ?", device.id,
          max(last, device.clearedThrough), Self.stride)
      })
  }

  /// Takes the rows that `read` gives after a position, until there are no more.
  private func eachRow(
    _ seal: SavedLogSeal, _ limit: Int, _ take: (NetworkRowDetail) -> Void,
    read: @escaping @Sendable (RowSequence, any StorageTransaction) throws -> [StorageRow]
  ) async throws {
    var count = 0
    var last: RowSequence = 0
    while true {
      try Task.checkCancellation()
      let (attempts, cursor) = try await store.storage.read { [last] transaction -> ([NetworkRowDetail], RowSequence?) in
        let rows = try read(last, transaction)
        return (try rows.compactMap { try seal.attempt($0) }, try rows.last?.seq)
      }
      guard let cursor else { return }
      count += attempts.count
      guard count <= limit else { throw Problem.tooManyRows(limit) }
      attempts.forEach(take)
      last = cursor
    }
  }
}

extension Problem {
  fileprivate static func tooManyRows(_ limit: Int) -> Problem {
    Problem(.payloadTooLarge, "The log has more than \(limit) rows.")
  }
}

extension RecordingStore {
  /// Deletes the recordings, complete or not, of workspaces that do not exist; keeps those without a workspace.
  ///
  /// `existing` returns the ids of all workspaces. It is called after the recordings were read, so that a workspace that is
  /// created at the same time keeps its recordings.
  func removeOrphans(existing: () async throws -> Set<String>) async throws {
    let placed = try await store.storage.read { transaction in
      var placed: [Int64: String] = [:]
      try eachAbout(transaction) { number, about in placed[number] = about.workspace }
      return placed
    }
    guard !placed.isEmpty else { return }
    let ids = try await existing()
    for (number, workspace) in placed where !ids.contains(workspace) {
      try await store.storage.write { transaction in
        // It may have been moved meanwhile to a workspace that exists.
        let row = try transaction.first("SELECT id, about FROM recording WHERE recording = ?", number)
        guard let row, try about(row)?.workspace == workspace else { return }
        try transaction.execute("DELETE FROM recording WHERE recording = ?", number)
      }
    }
  }

  /// Calls `body` with each recording's saved data, complete or not; leaves out those that do not open.
  private func eachAbout(_ transaction: any StorageTransaction, _ body: (Int64, RecordingAbout) throws -> Void) throws {
    try transaction.each("SELECT recording, id, about FROM recording") { row in
      if let about = try about(row) { try body(try row.integer("recording"), about) }
    }
  }

  /// A recording's saved data, from a row with the columns `id` and `about`; nil if it does not open.
  private func about(_ row: StorageRow) throws(StorageError) -> RecordingAbout? {
    seal(try row.text("id")).open(try row.bytes("about"), .about).flatMap {
      try? JSONCoding.decode(RecordingAbout.self, from: $0)
    }
  }
}
