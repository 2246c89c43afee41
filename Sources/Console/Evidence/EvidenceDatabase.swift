package import GRDB

/// The SQLite file of what devices recorded: the network log, the timeline and the fault rules.
///
/// A file of its own, so that saving it never delays the tokens, and a lost or damaged one costs nobody the session.
package enum EvidenceDatabase {
  /// The file has the tables of another version of this program.
  package struct OtherVersion: Error {}

  /// Opens or creates the file and migrates its tables; `nil` keeps everything in memory.
  ///
  /// A file that another process has open (`isShared`) is not migrated: throws `OtherVersion` if it has to be. `owner` stays alive
  /// until the file is closed. Throws GRDB's `DatabaseError` if the file is unreadable, damaged or written by a newer version.
  package static func open(
    path: String?, owner: (any Sendable)? = nil, isShared: Bool = false
  ) throws -> any DatabaseWriter {
    var configuration = Configuration()
    configuration.label = "evidence"
    configuration.maximumReaderCount = 2
    // `understudy import` writes while a console does.
    configuration.busyMode = .timeout(10)
    configuration.prepareDatabase { [owner] db in
      withExtendedLifetime(owner) {}
      // A kill loses no transaction; after a power failure the last ones may be missing.
      try db.execute(sql: "PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 4194304")
    }
    let database: any DatabaseWriter =
      if let path { try DatabasePool(path: path, configuration: configuration) } else {
        try DatabaseQueue(configuration: configuration)
      }
    if isShared {
      guard try database.read({ try migrator.hasCompletedMigrations($0) && !migrator.hasBeenSuperseded($0) }) else {
        throw OtherVersion()
      }
    } else {
      try migrator.migrate(database)
    }
    return database
  }

  private static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 log, timeline and faults") { try $0.execute(sql: first) }
    migrator.registerMigration("2 recordings") { try $0.execute(sql: second) }
    return migrator
  }

  /// `rows` and `bytes` are those of `log_row` and `log_text`, `evicted` counts rows that the bounds removed, and rows up to `cleared_through` are
  /// hidden until they are removed or brought back. `is_awake` is 1 from the first change until everything is saved.
  private static let first = """
    CREATE TABLE evidence_device (
      device INTEGER PRIMARY KEY,
      device_id TEXT NOT NULL,
      backend_id TEXT NOT NULL,
      next_seq INTEGER NOT NULL DEFAULT 1,
      is_awake INTEGER NOT NULL DEFAULT 0,
      cleared_through INTEGER NOT NULL DEFAULT 0,
      rows INTEGER NOT NULL DEFAULT 0,
      bytes INTEGER NOT NULL DEFAULT 0,
      evicted INTEGER NOT NULL DEFAULT 0,
      faults BLOB,
      UNIQUE (device_id, backend_id)
    ) STRICT;
    CREATE TABLE log_row (
      device INTEGER NOT NULL REFERENCES evidence_device ON DELETE CASCADE,
      seq INTEGER NOT NULL,
      id TEXT NOT NULL,
      started_at INTEGER NOT NULL,
      method TEXT NOT NULL,
      endpoint TEXT NOT NULL,
      flow TEXT NOT NULL,
      status INTEGER,
      is_pinned INTEGER NOT NULL,
      row BLOB NOT NULL,
      rest BLOB NOT NULL,
      PRIMARY KEY (device, seq)
    ) STRICT;
    CREATE INDEX log_row_id ON log_row (device, id);
    CREATE INDEX log_row_filter ON log_row (device, seq, started_at, method, endpoint, status);
    CREATE TABLE log_text (
      number INTEGER PRIMARY KEY,
      device INTEGER NOT NULL REFERENCES evidence_device ON DELETE CASCADE,
      first_seq INTEGER NOT NULL,
      last_seq INTEGER NOT NULL,
      sealed BLOB NOT NULL
    ) STRICT;
    CREATE INDEX log_text_device ON log_text (device, last_seq);
    CREATE INDEX log_row_pinned ON log_row (device, seq) WHERE is_pinned;
    CREATE TABLE log_gap (
      device INTEGER NOT NULL REFERENCES evidence_device ON DELETE CASCADE,
      after_seq INTEGER NOT NULL,
      found_at INTEGER NOT NULL,
      PRIMARY KEY (device, after_seq)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE timeline_entry (
      device INTEGER NOT NULL REFERENCES evidence_device ON DELETE CASCADE,
      seq INTEGER NOT NULL,
      sealed BLOB NOT NULL,
      PRIMARY KEY (device, seq)
    ) STRICT, WITHOUT ROWID;
    """

  /// A recording is complete when all its rows are there; one that is not is removed at the next start.
  private static let second = """
    CREATE TABLE recording (
      recording INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      created_at INTEGER NOT NULL,
      rows INTEGER NOT NULL DEFAULT 0,
      bytes INTEGER NOT NULL DEFAULT 0,
      is_complete INTEGER NOT NULL DEFAULT 0,
      about BLOB NOT NULL,
      timeline BLOB NOT NULL,
      faults BLOB NOT NULL
    ) STRICT;
    CREATE TABLE recording_row (
      recording INTEGER NOT NULL REFERENCES recording ON DELETE CASCADE,
      seq INTEGER NOT NULL,
      id TEXT NOT NULL,
      method TEXT NOT NULL,
      endpoint TEXT NOT NULL,
      status INTEGER,
      row BLOB NOT NULL,
      rest BLOB NOT NULL,
      PRIMARY KEY (recording, seq)
    ) STRICT;
    CREATE INDEX recording_row_id ON recording_row (recording, id);
    """
}
