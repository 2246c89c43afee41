import FoundationEssentials
import GRDB

/// SQLite in a file or in memory, by GRDB.
package final class SQLiteStorage: StorageEngine {
  /// The options of a file.
  package struct Options: Sendable {
    /// Whether acknowledged writes survive a power failure, and not only the end of the process.
    package var isDurable = true
    /// Whether deleted bytes are overwritten.
    package var overwritesDeleted = false
    /// The maximum number of reads concurrent with a write; with 0, reads and writes take turns on one connection.
    package var readers = 4
    /// Whether the file is only read, such as that of another process.
    package var isReadOnly = false
    /// Stays alive until the file is closed, for example a lock on it.
    package var owner: (any Sendable)?

    package init() {}
  }

  package let dialect = StorageDialect.sqlite
  /// The file; nil in memory.
  package let path: String?
  private let database: any DatabaseWriter
  /// Whether each read has a connection that can only read.
  private let hasReaders: Bool
  private let writer: GroupedWriter

  /// Opens the file, or creates it; nil keeps everything in memory. Throws ``StorageError``.
  package init(path: String?, _ options: Options = Options()) throws(StorageError) {
    self.path = path
    hasReaders = path != nil && options.readers > 0 && !options.isReadOnly
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    configuration.foreignKeysEnabled = true
    configuration.readonly = options.isReadOnly
    configuration.maximumReaderCount = max(options.readers, 1)
    configuration.prepareDatabase { [options] db in
      withExtendedLifetime(options.owner) {}
      try db.execute(sql: "PRAGMA synchronous = \(options.isDurable ? "FULL" : "NORMAL")")
      if options.overwritesDeleted { try db.execute(sql: "PRAGMA secure_delete = ON") }
      try db.execute(sql: "PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = 4194304")
    }
    do {
      database =
        switch path {
        case let path? where options.readers > 0 && !options.isReadOnly:
          try DatabasePool(path: path, configuration: configuration)
        case let path?: try DatabaseQueue(path: path, configuration: configuration)
        case nil: try DatabaseQueue(configuration: configuration)
        }
      if path != nil, !options.isReadOnly {
        try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
      }
    } catch {
      throw Self.error(error)
    }
    writer = GroupedWriter(database)
  }

  package func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) async throws -> Value {
    do {
      if hasReaders {
        // GRDB releases a reader on the thread of its task.
        return try await withTaskExecutorPreference(WaitingExecutor.shared) { [database] in
          try await database.read { try body(SQLiteTransaction(database: $0)) }
        }
      }
      // Without GRDB's read-only mode, which a canceled task can leave switched on: SQLite sets `query_only` when it prepares the
      // pragma, and if it is interrupted before the first step, GRDB does not switch it off again. Every write would then fail.
      return try await database.unsafeRead { try body(SQLiteTransaction(database: $0, canWrite: false)) }
    } catch let error as DatabaseError { throw Self.error(error) } catch StorageError.interrupted { throw CancellationError() }
  }

  @discardableResult
  package func write<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) async throws -> Value {
    do { return try await writer.write { try SQLiteTransaction(database: $0).commit(body) } } catch let error as DatabaseError {
      throw Self.error(error)
    }
  }

  package func readAndWait<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) throws -> Value {
    do {
      if hasReaders { return try database.read { try body(SQLiteTransaction(database: $0)) } }
      return try database.unsafeRead { try body(SQLiteTransaction(database: $0, canWrite: false)) }
    } catch let error as DatabaseError { throw Self.error(error) }
  }

  @discardableResult
  package func writeAndWait<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) throws -> Value {
    do { return try writer.writeAndWait { try SQLiteTransaction(database: $0).commit(body) } } catch let error as DatabaseError {
      throw Self.error(error)
    }
  }

  package func exclusively<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) async throws -> Value { try await write(body) }

  package func purge() async throws {
    do {
      try await database.writeWithoutTransaction { database in
        // For a closed connection, SQLite would follow a null pointer.
        try database.execute(sql: "PRAGMA schema_version")
        try database.checkpoint(.truncate)
      }
    } catch {
      throw Self.error(error)
    }
  }

  package func close() async {
    // After that, the file alone is a complete copy.
    if path != nil { try? await purge() }
    try? database.close()
  }

  /// Maps an error of GRDB.
  fileprivate static func error(_ error: any Error) -> StorageError {
    guard let error = error as? DatabaseError else { return error is CancellationError ? .interrupted : .unusable }
    switch error.resultCode {
    case .SQLITE_CONSTRAINT: return .constraint
    case .SQLITE_FULL: return .full
    case .SQLITE_BUSY, .SQLITE_LOCKED: return .conflict
    case .SQLITE_NOTADB, .SQLITE_CORRUPT: return .damaged
    case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_IOERR, .SQLITE_MISUSE: return .unusable
    case .SQLITE_INTERRUPT: return .interrupted
    default: return .statement("\(error.extendedResultCode.rawValue)")
    }
  }
}

private struct SQLiteTransaction: StorageTransaction {
  let database: Database
  private let canWrite: Bool
  private let failed = FailedStatement()

  init(database: Database, canWrite: Bool = true) { (self.database, self.canWrite) = (database, canWrite) }

  /// Runs `body`; throws if one of its statements failed.
  func commit<Value>(_ body: (any StorageTransaction) throws -> Value) throws -> Value {
    let value = try body(self)
    try failed.check()
    return value
  }

  func execute(_ sql: String, _ arguments: [StorageValue]) throws(StorageError) -> Int {
    try failed.noting { () throws(StorageError) in try changed(sql, arguments) }
  }

  func rows(_ sql: String, _ arguments: [StorageValue]) throws(StorageError) -> [StorageRow] {
    try failed.noting { () throws(StorageError) in try found(sql, arguments) }
  }

  private func changed(_ sql: String, _ arguments: [StorageValue]) throws(StorageError) -> Int {
    try StorageValue.check(arguments)
    do {
      let statement = try prepared(sql)
      try statement.execute(arguments: StatementArguments(arguments.map(Self.value)))
      // Other statements than INSERT, UPDATE and DELETE leave the previous count in place.
      return statement.isReadonly ? 0 : database.changesCount
    } catch {
      throw SQLiteStorage.error(error)
    }
  }

  private func found(_ sql: String, _ arguments: [StorageValue]) throws(StorageError) -> [StorageRow] {
    try StorageValue.check(arguments)
    do {
      let statement = try prepared(sql)
      let names = statement.columnNames
      return try Row.fetchAll(statement, arguments: StatementArguments(arguments.map(Self.value))).map { row in
        StorageRow(names: names, values: row.databaseValues.map(Self.value))
      }
    } catch {
      throw SQLiteStorage.error(error)
    }
  }

  func each(_ sql: String, _ arguments: [StorageValue], _ body: (StorageRow) throws -> Void) throws {
    let (rows, names) = try failed.noting { () throws(StorageError) in
      try StorageValue.check(arguments)
      do {
        let statement = try prepared(sql)
        return (
          try Row.fetchCursor(statement, arguments: StatementArguments(arguments.map(Self.value))), statement.columnNames
        )
      } catch {
        throw SQLiteStorage.error(error)
      }
    }
    func next() throws(StorageError) -> StorageRow? {
      do { return try rows.next().map { StorageRow(names: names, values: $0.databaseValues.map(Self.value)) } } catch {
        throw SQLiteStorage.error(error)
      }
    }
    while let row = try failed.noting(next) { try body(row) }
  }

  /// Throws ``StorageError/statement(_:)`` for a statement that changes something in a read.
  private func prepared(_ sql: String) throws -> Statement {
    let statement = try database.cachedStatement(sql: sql)
    guard canWrite || statement.isReadonly else { throw DatabaseError(resultCode: .SQLITE_READONLY) }
    return statement
  }

  func run(script: String) throws(StorageError) {
    try failed.noting { () throws(StorageError) in
      guard canWrite else { throw .unusable }
      do { try database.execute(sql: script) } catch { throw SQLiteStorage.error(error) }
    }
  }

  private static func value(_ value: StorageValue) -> DatabaseValue {
    switch value {
    case .null: .null
    case .integer(let number): number.databaseValue
    case .real(let number): number.databaseValue
    case .text(let text): text.databaseValue
    case .bytes(let bytes): Data(bytes).databaseValue
    }
  }

  private static func value(_ value: DatabaseValue) -> StorageValue {
    switch value.storage {
    case .null: .null
    case .int64(let number): .integer(number)
    case .double(let number): .real(number)
    case .string(let text): .text(text)
    case .blob(let data): .bytes(Array(data))
    }
  }
}
