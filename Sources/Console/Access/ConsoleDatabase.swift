import Client
package import Storage

/// The console's database: browsers, devices, the messages that each device requested, and the client's own tables.
package enum ConsoleDatabase {
  /// The tables; their names and steps are those of files since the first version.
  package static let migrations = StorageMigrations([
    .init(
      "1 devices",
      script: """
        CREATE TABLE browser (browser_id TEXT NOT NULL PRIMARY KEY, seen_at {real} NOT NULL);
        CREATE TABLE browser_cookie (
          cookie_hash {bytes} NOT NULL PRIMARY KEY,
          browser_id TEXT NOT NULL REFERENCES browser (browser_id) ON DELETE CASCADE,
          made_at {real} NOT NULL,
          is_presented {integer} NOT NULL,
          works_until {real}
        );
        CREATE INDEX browser_cookie_on_browser_id ON browser_cookie (browser_id);
        CREATE TABLE device (
          device_id TEXT NOT NULL PRIMARY KEY,
          browser_id TEXT NOT NULL REFERENCES browser (browser_id) ON DELETE CASCADE,
          key_hash {bytes} NOT NULL UNIQUE,
          name TEXT NOT NULL,
          created_at {real} NOT NULL
        );
        CREATE INDEX device_on_browser_id ON device (browser_id);
        CREATE TABLE asked_identifier (
          device_id TEXT NOT NULL REFERENCES device (device_id) ON DELETE CASCADE,
          backend_id TEXT NOT NULL,
          tag TEXT NOT NULL,
          sealed {bytes} NOT NULL,
          retry_at {real} NOT NULL,
          PRIMARY KEY (device_id, backend_id, tag)
        );
        CREATE TABLE link_state (
          device_id TEXT NOT NULL REFERENCES device (device_id) ON DELETE CASCADE,
          state_hash {bytes} NOT NULL,
          made_at {real} NOT NULL,
          PRIMARY KEY (device_id, state_hash)
        );
        """),
    .init("2 tokens", script: SealedTokenStore.schema),
    .init("3 cues", script: CueStore.schema),
    .init("4 account settings", script: AccountSettingsStore.schema),
    // 0 for rows from before, which stay as they are.
    .init(
      "5 when a cooldown began", script: "ALTER TABLE asked_identifier ADD COLUMN set_at {real} NOT NULL DEFAULT 0;"),
    .init("6 key of the tags", script: VaultSecret.schema),
    .init("7 signed rows", script: AccessRows.schema),
    // Added a column for the tokens of a copied data folder and removed it again.
    .init("8 unproven tokens", script: ""),
    .init("9 tokens of a copy are like others", script: ""),
    .init("10 how a backend wrote an instant", script: CueStore.texts),
    .init("11 choice of analytics at the backend", script: AccountSettingsStore.backendChoice),
    .init("12 unfinished sign-ins", script: SealedSignInStore.schema),
  ])

  /// Opens or creates the file with its tables; `nil` keeps everything in memory. Throws ``StorageError``.
  ///
  /// `teamTables` is a script for the tables of people; `owner` stays alive until the file is closed, for example a lock on it.
  package static func open(path: String?, teamTables: String, owner: (any Sendable)? = nil) async throws -> SQLiteStorage {
    var options = SQLiteStorage.Options()
    options.overwritesDeleted = true
    options.readers = 0
    options.owner = owner
    let storage = try SQLiteStorage(path: path, options)
    try await migrations.migrate(storage)
    try await storage.write { try $0.run(script: StorageDialect.sqlite.script(teamTables)) }
    return storage
  }
}
