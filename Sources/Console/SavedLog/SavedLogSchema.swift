package import Storage

/// The tables of a device's records: the network log, the timeline and the fault rules.
///
/// In SQLite they have their own file, so that saving never delays the tokens, and losing the file costs no session.
package enum SavedLogSchema {
  /// The file has the tables of another version of this program.
  package struct OtherVersion: Error {}

  /// The steps that make the tables; their names are also in files of earlier versions.
  package static let migrations = StorageMigrations([
    .init("1 log, timeline and faults", script: first), .init("2 recordings", script: second),
  ])

  /// Opens or creates SQLite's file and migrates its tables; `nil` keeps everything in memory.
  ///
  /// A file that another process has open (`isShared`) is not migrated: throws `OtherVersion` if it has to be. `owner` stays
  /// alive until the file is closed. Throws `StorageError` if the file is unreadable, damaged or written by a newer version.
  package static func open(
    path: String?, owner: (any Sendable)? = nil, isShared: Bool = false
  ) async throws -> SQLiteStorage {
    var options = SQLiteStorage.Options()
    // A kill loses no transaction; after a power failure the last ones may be missing.
    (options.isDurable, options.readers, options.owner) = (false, 2, owner)
    let storage = try SQLiteStorage(path: path, options)
    if isShared {
      do {
        guard try await migrations.pending(storage).isEmpty else { throw OtherVersion() }
      } catch StorageError.newerSchema { throw OtherVersion() }
    } else {
      try await migrations.migrate(storage)
      // Without it, as on a full disk, waking takes longer.
      _ = try? await storage.write { try $0.run(script: pinnedIndex) }
    }
    return storage
  }

  /// Finds the pinned rows; files of earlier versions have an index whose condition cannot be written for both engines.
  private static let pinnedIndex =
    "CREATE INDEX IF NOT EXISTS log_row_is_pinned ON log_row (device, is_pinned, seq) WHERE is_pinned = 1;"

  /// `rows` and `bytes` are those of `log_row` and `log_text`, `evicted` counts rows that the bounds removed, and rows up to
  /// `cleared_through` are hidden until they are removed or brought back. `is_awake` is 1 from the first change until everything is
  /// saved.
  private static let first = """
    CREATE TABLE evidence_device (
      device {identity},
      device_id TEXT NOT NULL,
      backend_id TEXT NOT NULL,
      next_seq {integer} NOT NULL DEFAULT 1,
      is_awake {integer} NOT NULL DEFAULT 0,
      cleared_through {integer} NOT NULL DEFAULT 0,
      rows {integer} NOT NULL DEFAULT 0,
      bytes {integer} NOT NULL DEFAULT 0,
      evicted {integer} NOT NULL DEFAULT 0,
      faults {bytes},
      UNIQUE (device_id, backend_id)
    ) {strict};
    CREATE TABLE log_row (
      device {integer} NOT NULL REFERENCES evidence_device ON DELETE CASCADE,
      seq {integer} NOT NULL,
      id TEXT NOT NULL,
      started_at {integer} NOT NULL,
      method TEXT NOT NULL,
      endpoint TEXT NOT NULL,
      flow TEXT NOT NULL,
      status {integer},
      is_pinned {integer} NOT NULL,
      row {bytes} NOT NULL,
      rest {bytes} NOT NULL,
      PRIMARY KEY (device, seq)
    ) {strict};
    CREATE INDEX log_row_id ON log_row (device, id);
    CREATE INDEX log_row_filter ON log_row (device, seq, started_at, method, endpoint, status);
    CREATE TABLE log_text (
      number {identity},
      device {integer} NOT NULL REFERENCES evidence_device ON DELETE CASCADE,
      first_seq {integer} NOT NULL,
      last_seq {integer} NOT NULL,
      sealed {bytes} NOT NULL
    ) {strict};
    CREATE INDEX log_text_device ON log_text (device, last_seq);
    CREATE TABLE log_gap (
      device {integer} NOT NULL REFERENCES evidence_device ON DELETE CASCADE,
      after_seq {integer} NOT NULL,
      found_at {integer} NOT NULL,
      PRIMARY KEY (device, after_seq)
    ) {strict by key};
    CREATE TABLE timeline_entry (
      device {integer} NOT NULL REFERENCES evidence_device ON DELETE CASCADE,
      seq {integer} NOT NULL,
      sealed {bytes} NOT NULL,
      PRIMARY KEY (device, seq)
    ) {strict by key};
    \(pinnedIndex)
    """

  /// A recording is complete when all its rows are there; one that is not is removed at the next start.
  private static let second = """
    CREATE TABLE recording (
      recording {identity},
      id TEXT NOT NULL UNIQUE,
      created_at {integer} NOT NULL,
      rows {integer} NOT NULL DEFAULT 0,
      bytes {integer} NOT NULL DEFAULT 0,
      is_complete {integer} NOT NULL DEFAULT 0,
      about {bytes} NOT NULL,
      timeline {bytes} NOT NULL,
      faults {bytes} NOT NULL
    ) {strict};
    CREATE TABLE recording_row (
      recording {integer} NOT NULL REFERENCES recording ON DELETE CASCADE,
      seq {integer} NOT NULL,
      id TEXT NOT NULL,
      method TEXT NOT NULL,
      endpoint TEXT NOT NULL,
      status {integer},
      row {bytes} NOT NULL,
      rest {bytes} NOT NULL,
      PRIMARY KEY (recording, seq)
    ) {strict};
    CREATE INDEX recording_row_id ON recording_row (recording, id);
    """
}
