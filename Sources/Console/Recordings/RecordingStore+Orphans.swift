import JSON
import Storage

extension DeviceRegistry {
  /// Removes the recordings whose workspace is gone; only for a console that knows persons.
  package nonisolated func removeOrphanedRecordings() async throws {
    guard let evidence else { return }
    let workspaces = Workspaces(store: store)
    try await RecordingStore(store: evidence).removeOrphans { try await workspaces.ids() }
  }
}

extension RecordingStore {
  /// Removes the recordings, complete or not, that are in a workspace which does not exist; those of no workspace stay.
  ///
  /// `existing` gives the ids of all workspaces. It is called after the recordings were read: of a workspace that is made at the same
  /// time, either no recording was read, or its id is given.
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

  /// Calls `body` with what is saved of each recording, complete or not; those that do not open are left out.
  func eachAbout(_ transaction: any StorageTransaction, _ body: (Int64, RecordingAbout) throws -> Void) throws {
    try transaction.each("SELECT recording, id, about FROM recording") { row in
      if let about = try about(row) { try body(try row.integer("recording"), about) }
    }
  }

  /// What is saved of a recording in a row with the columns `id` and `about`; nil if it does not open.
  func about(_ row: StorageRow) throws(StorageError) -> RecordingAbout? {
    seal(try row.text("id")).open(try row.bytes("about"), .about).flatMap {
      try? JSONCoding.decode(RecordingAbout.self, from: $0)
    }
  }
}
