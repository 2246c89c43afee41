import FoundationEssentials
import GRDB

/// SQLite in a file, by GRDB.
package final class SQLiteStorage: StorageEngine {
  package let dialect = StorageDialect.sqlite
  private let pool: DatabasePool
  private let writer: GroupedWriter

  /// Opens the file, or creates it; throws ``StorageError``.
  package init(path: String) throws(StorageError) {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    configuration.foreignKeysEnabled = true
    do {
      pool = try DatabasePool(path: path, configuration: configuration)
      // What is acknowledged is on disk, as in PostgreSQL.
      try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    } catch {
      throw Self.error(error)
    }
    writer = GroupedWriter(pool)
  }

  package func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) async throws -> Value {
    do { return try await pool.read { try body(SQLiteTransaction(database: $0)) } } catch let error as DatabaseError {
      throw Self.error(error)
    }
  }

  @discardableResult
  package func write<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) async throws -> Value {
    do { return try await writer.write { try SQLiteTransaction(database: $0).commit(body) } } catch let error as DatabaseError {
      throw Self.error(error)
    }
  }

  package func exclusively<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) async throws -> Value { try await write(body) }

  package func close() async { try? pool.close() }

  /// The port's error for one of GRDB.
  fileprivate static func error(_ error: any Error) -> StorageError {
    guard let error = error as? DatabaseError else { return .unreachable("the database cannot be opened") }
    switch error.resultCode {
    case .SQLITE_CONSTRAINT: return .constraint
    case .SQLITE_FULL: return .full
    case .SQLITE_BUSY, .SQLITE_LOCKED: return .conflict
    case .SQLITE_CANTOPEN, .SQLITE_IOERR, .SQLITE_NOTADB, .SQLITE_CORRUPT, .SQLITE_MISUSE:
      return .unreachable("the database cannot be opened")
    default: return .statement("\(error.extendedResultCode.rawValue)")
    }
  }
}

private struct SQLiteTransaction: StorageTransaction {
  let database: Database
  private let failed = FailedStatement()

  init(database: Database) { self.database = database }

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
      let statement = try database.cachedStatement(sql: sql)
      try statement.execute(arguments: StatementArguments(arguments.map(Self.value)))
      // A statement that is no INSERT, UPDATE or DELETE keeps the count of the last one.
      return statement.isReadonly ? 0 : database.changesCount
    } catch {
      throw SQLiteStorage.error(error)
    }
  }

  private func found(_ sql: String, _ arguments: [StorageValue]) throws(StorageError) -> [StorageRow] {
    try StorageValue.check(arguments)
    do {
      let statement = try database.cachedStatement(sql: sql)
      let names = statement.columnNames
      return try Row.fetchAll(statement, arguments: StatementArguments(arguments.map(Self.value))).map { row in
        StorageRow(names: names, values: row.databaseValues.map(Self.value))
      }
    } catch {
      throw SQLiteStorage.error(error)
    }
  }

  func run(script: String) throws(StorageError) {
    try failed.noting { () throws(StorageError) in
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
