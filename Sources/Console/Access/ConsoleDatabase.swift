import Client
import FoundationEssentials
package import GRDB

/// The console's SQLite file: browsers, devices, the messages that each requested, and the client's own tables.
package enum ConsoleDatabase {
  /// Opens or creates the file and migrates its tables; `nil` keeps everything in memory.
  ///
  /// `owner` stays alive until the file is closed, for example a lock on it. Throws GRDB's `DatabaseError` if the file is
  /// unreadable, damaged or written by a newer version.
  package static func open(path: String?, owner: (any Sendable)? = nil) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.label = "console"
    configuration.prepareDatabase { [owner] db in
      withExtendedLifetime(owner) {}
      try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY")
    }
    let database =
      if let path { try DatabaseQueue(path: path, configuration: configuration) } else {
        try DatabaseQueue(configuration: configuration)
      }
    if path != nil { try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") } }
    try migrator.migrate(database)
    return database
  }

  private static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 devices") { db in
      try db.create(table: "browser") { table in
        table.primaryKey("browser_id", .text)
        table.column("seen_at", .double).notNull()
      }
      try db.create(table: "browser_cookie") { table in
        table.primaryKey("cookie_hash", .blob)
        table.column("browser_id", .text).notNull().indexed().references("browser", onDelete: .cascade)
        // When it was set, whether the browser has sent it, and until when it is valid; null until it is replaced.
        table.column("made_at", .double).notNull()
        table.column("is_presented", .boolean).notNull()
        table.column("works_until", .double)
      }
      try db.create(table: "device") { table in
        table.primaryKey("device_id", .text)
        table.column("browser_id", .text).notNull().indexed().references("browser", onDelete: .cascade)
        table.column("key_hash", .blob).notNull().unique()
        table.column("name", .text).notNull()
        table.column("created_at", .double).notNull()
      }
      try db.create(table: "asked_identifier") { table in
        table.column("device_id", .text).notNull().references("device", onDelete: .cascade)
        table.column("backend_id", .text).notNull()
        table.column("tag", .text).notNull()
        table.column("sealed", .blob).notNull()
        table.column("retry_at", .double).notNull()
        table.primaryKey(["device_id", "backend_id", "tag"])
      }
      try db.create(table: "link_state") { table in
        table.column("device_id", .text).notNull().references("device", onDelete: .cascade)
        table.column("state_hash", .blob).notNull()
        table.column("made_at", .double).notNull()
        table.primaryKey(["device_id", "state_hash"])
      }
    }
    migrator.registerMigration("2 tokens") { try SealedTokenStore.migrate($0) }
    migrator.registerMigration("3 cues") { try CueStore.migrate($0) }
    migrator.registerMigration("4 account settings") { try AccountSettingsStore.migrate($0) }
    migrator.registerMigration("5 when a cooldown began") { db in
      // 0 for existing rows, which stay as they are.
      try db.alter(table: "asked_identifier") { $0.add(column: "set_at", .double).notNull().defaults(to: 0) }
    }
    migrator.registerMigration("6 key of the tags") { try VaultSecret.migrate($0) }
    migrator.registerMigration("7 signed rows") { try AccessRows.migrate($0) }
    // Added a column for the tokens of a copied data folder, which the next one removes.
    migrator.registerMigration("8 unproven tokens") { _ in }
    migrator.registerMigration("9 tokens of a copy are like others") { db in
      if try db.columns(in: "client_token").contains(where: { $0.name == "is_unproven" }) {
        try db.execute(sql: "ALTER TABLE client_token DROP COLUMN is_unproven")
      }
    }
    return migrator
  }
}
