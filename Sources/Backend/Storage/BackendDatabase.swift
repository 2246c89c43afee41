import Glibc
import GRDB
import Vault

/// Opens the SQLite database of the backend, with a write-ahead log and a file that only its user can read.
enum BackendDatabase {
  /// Opens or creates the database at `path`, or one in memory if it is nil, and migrates it.
  ///
  /// `owner`, such as a lock on the file, lives until the file is closed.
  static func open(path: String?, owner: (any Sendable)? = nil) throws(BackendError) -> DatabaseQueue {
    do {
      var configuration = GRDB.Configuration()
      configuration.busyMode = .timeout(5)
      configuration.label = "backend"
      configuration.prepareDatabase { [owner] db in
        withExtendedLifetime(owner) {}
        // What a change of a group needs to be undone alone belongs in no file.
        try db.execute(sql: "PRAGMA temp_store = MEMORY")
      }
      let database: DatabaseQueue
      if let path {
        try secure(path)
        configuration.journalMode = .wal
        database = try DatabaseQueue(path: path, configuration: configuration)
      } else {
        database = try DatabaseQueue(configuration: configuration)
      }
      try DatabaseSchema.migrator.migrate(database)
      return database
    } catch {
      throw error as? BackendError ?? .database(DatabaseFault.description(of: error))
    }
  }

  /// Creates the file before SQLite does, since the journal files inherit its permissions.
  private static func secure(_ path: String) throws(BackendError) {
    let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .database("open: errno \(errno)") }
    defer { close(descriptor) }
    guard fchmod(descriptor, 0o600) == 0 else { throw .database("fchmod: errno \(errno)") }
  }

  /// Returns the id of the data, which the first call creates.
  static func dataID(of database: DatabaseQueue) throws -> String {
    try database.write { db in
      if let id = try StoredValue.dataID.text(db) { return id }
      let id = SecureRandom.uuid()
      try StoredValue.dataID.set(db, to: id)
      return id
    }
  }

  /// Returns the key that codes are hashed with, sealed so that a copy of the database is not enough to try a million codes.
  ///
  /// A key that `sealing` does not open is replaced, which only invalidates pending codes.
  static func codeKey(of database: DatabaseQueue, sealing: SealingKey) throws -> [UInt8] {
    let associatedData = Array(StoredValue.codeKey.rawValue.utf8)
    return try database.write { db in
      if let sealed = try StoredValue.codeKey.bytes(db), let key = try? sealing.open(sealed, associatedData: associatedData) {
        return key
      }
      let key = SecureRandom.bytes(SealingKey.byteCount)
      try StoredValue.codeKey.set(db, to: StoredBytes(sealing.seal(key, associatedData: associatedData)))
      return key
    }
  }
}
