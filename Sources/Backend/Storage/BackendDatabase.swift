import Glibc
import GRDB
import Vault

/// Opens the backend's SQLite database: write-ahead logging, foreign keys, readable by its user alone.
enum BackendDatabase {
  /// The database at `path`, made where there is none, or one in memory; with every migration applied.
  ///
  /// `owner` lives until the file is closed: whatever holds a lock on it.
  static func open(path: String?, owner: (any Sendable)? = nil) throws(BackendError) -> DatabaseQueue {
    do {
      var configuration = GRDB.Configuration()
      configuration.busyMode = .timeout(5)
      configuration.label = "backend"
      configuration.prepareDatabase { [owner] _ in withExtendedLifetime(owner) {} }
      let database: DatabaseQueue
      if let path {
        try secure(path)
        configuration.journalMode = .wal
        database = try DatabaseQueue(path: path, configuration: configuration)
      } else {
        database = try DatabaseQueue(configuration: configuration)
      }
      try Schema.migrator.migrate(database)
      return database
    } catch {
      throw error as? BackendError ?? .database(DatabaseFault.text(error))
    }
  }

  /// Makes the file before SQLite does, since its journal files take over the file's permissions.
  private static func secure(_ path: String) throws(BackendError) {
    let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .database("open: errno \(errno)") }
    defer { close(descriptor) }
    guard fchmod(descriptor, 0o600) == 0 else { throw .database("fchmod: errno \(errno)") }
  }

  /// The data's id, made at the first call.
  static func dataID(of database: DatabaseQueue) throws -> String {
    try database.write { db in
      if let id = try StoredValue.dataID.text(db) { return id }
      let id = SecureRandom.uuid()
      try StoredValue.dataID.set(db, to: id)
      return id
    }
  }

  /// The key that codes are hashed with: kept sealed, so that the database alone does not let anybody try a million codes.
  ///
  /// A key that `sealing` does not open is replaced; that ends the codes on their way and nothing else.
  static func codeKey(of database: DatabaseQueue, sealing: SealingKey) throws -> [UInt8] {
    let place = Array(StoredValue.codeKey.rawValue.utf8)
    return try database.write { db in
      if let sealed = try StoredValue.codeKey.bytes(db), let key = try? sealing.open(sealed, associatedData: place) { return key }
      let key = SecureRandom.bytes(SealingKey.byteCount)
      try StoredValue.codeKey.set(db, to: StoredBytes(sealing.seal(key, associatedData: place)))
      return key
    }
  }
}
