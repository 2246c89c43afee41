import Glibc
import Storage
import Vault

/// The database of a backend: a SQLite file that only its user can read, or one that several backends share.
enum BackendDatabase {
  /// Opens or creates the file at `path`, or a database in memory if it is nil, with its tables.
  ///
  /// `owner`, such as a lock on the file, lives until the file is closed.
  static func open(path: String?, owner: (any Sendable)? = nil) async throws -> SQLiteStorage {
    if let path { try secure(path) }
    var options = SQLiteStorage.Options()
    options.isDurable = false
    options.readers = 0
    options.owner = owner
    let storage = try SQLiteStorage(path: path, options)
    try await DatabaseSchema.migrations.migrate(storage)
    return storage
  }

  /// Creates the file before SQLite does, because the journal files inherit its permissions.
  private static func secure(_ path: String) throws(BackendStartError) {
    let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .database("open: errno \(errno)") }
    defer { close(descriptor) }
    guard fchmod(descriptor, 0o600) == 0 else { throw .database("fchmod: errno \(errno)") }
  }

  /// Returns the id of the data, which the first call creates.
  static func dataID(of storage: any StorageEngine) async throws -> String {
    try await storage.write { transaction in
      if let id = try StoredValue.dataID.text(transaction) { return id }
      let id = SecureRandom.uuid()
      try StoredValue.dataID.set(transaction, to: id)
      return id
    }
  }

  /// Returns the key that codes are hashed with, sealed so that a copy of the database is not enough to try a million codes.
  ///
  /// A key that `sealing` does not open is replaced, which only invalidates pending codes; if other backends use it, throws `foreignKey`.
  static func codeKey(of storage: any StorageEngine, sealing: SealingKey, isShared: Bool) async throws -> [UInt8] {
    let associatedData = Array(StoredValue.codeKey.rawValue.utf8)
    return try await storage.write { transaction in
      if let sealed = try StoredValue.codeKey.bytes(transaction) {
        if let key = try? sealing.open(sealed, associatedData: associatedData) { return key }
        if isShared { throw BackendStartError.foreignKey }
      }
      let key = SecureRandom.bytes(SealingKey.byteCount)
      try StoredValue.codeKey.set(transaction, to: sealing.seal(key, associatedData: associatedData))
      return key
    }
  }
}

/// Reads database errors without quoting the statement or its arguments.
enum DatabaseFault {
  /// Returns the error as a text for the log.
  static func description(of error: any Error) -> String {
    (error as? StorageError).map { "\($0)" } ?? "\(type(of: error))"
  }

  /// Whether a later call may succeed: the database is busy, full, read-only, unreadable or unreachable, or the call was
  /// canceled.
  static func isTransient(_ error: any Error) -> Bool {
    if error is CancellationError { return true }
    guard let error = error as? StorageError else { return false }
    switch error {
    case .conflict, .locked, .full, .unusable, .interrupted, .unreachable, .inDoubt: return true
    // SQLite is out of memory, or undid the transaction after another failure.
    case .statement(let code): return ["7", "4", "516"].contains(code)
    case .constraint, .damaged, .newerSchema, .fenced, .mismatch: return false
    }
  }
}
