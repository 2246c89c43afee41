/// A database behind the stores: SQLite for one console, PostgreSQL for several.
package protocol StorageEngine: Sendable {
  /// The spelling of SQL that differs between the engines.
  var dialect: StorageDialect { get }

  /// The PostgreSQL schema of its tables; nil for the default schema.
  var schema: String? { get }

  /// Runs `body` on one state of the database; throws ``StorageError``, or the errors of `body`.
  func read<Value: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> Value) async throws -> Value

  /// Runs `body` in a serializable transaction, which is on disk when this returns.
  ///
  /// `body` may run more than once. If it throws, or if one of its statements failed, the database is unchanged. Throws
  /// ``StorageError``, or the errors of `body`.
  @discardableResult
  func write<Value: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> Value) async throws -> Value

  /// Runs `body` like `write`, but waits for other programs' calls of this function and sees their changes.
  func exclusively<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) async throws -> Value

  /// Reads like ``read(_:)`` and blocks the thread. Must not be called on an event loop or within another access.
  func readAndWait<Value: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> Value) throws -> Value

  /// Writes like ``write(_:)`` and blocks the thread. Must not be called on an event loop or within another access.
  ///
  /// For callers that must not suspend between comparing and saving. Canceling the caller does not end it.
  @discardableResult
  func writeAndWait<Value: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> Value) throws -> Value

  /// Wipes deleted and overwritten bytes from the files, as far as the engine can.
  func purge() async throws

  /// Closes every connection; later transactions fail.
  func close() async
}

extension StorageEngine {
  package var schema: String? { nil }
}

/// Runs the statements of a transaction, in SQL that both engines support, with `?` for each argument.
package protocol StorageTransaction {
  /// Runs a statement; returns the number of rows that it changed.
  @discardableResult
  func execute(_ sql: String, _ arguments: [StorageValue]) throws(StorageError) -> Int

  /// Runs a statement and returns its rows.
  func rows(_ sql: String, _ arguments: [StorageValue]) throws(StorageError) -> [StorageRow]

  /// Calls `body` with each row of a statement, of which only some are in memory at a time; it must run no other statement.
  ///
  /// Throws ``StorageError``, or the errors of `body`, after which no row follows.
  func each(_ sql: String, _ arguments: [StorageValue], _ body: (StorageRow) throws -> Void) throws

  /// Runs statements without arguments, separated by semicolons.
  func run(script: String) throws(StorageError)
}

extension StorageTransaction {
  /// Runs a statement; returns the number of rows that it changed.
  @discardableResult
  package func execute(_ sql: String, _ arguments: any StorageConvertible...) throws(StorageError) -> Int {
    try execute(sql, arguments.map(\.storageValue))
  }

  /// Runs a statement and returns its rows.
  package func rows(_ sql: String, _ arguments: any StorageConvertible...) throws(StorageError) -> [StorageRow] {
    try rows(sql, arguments.map(\.storageValue))
  }

  /// Runs a statement and returns its first row; nil if it has none.
  package func first(_ sql: String, _ arguments: any StorageConvertible...) throws(StorageError) -> StorageRow? {
    try rows(sql, arguments.map(\.storageValue)).first
  }

  /// Runs a statement and returns the first column of its first row as a whole number; nil if there is no row, or null.
  package func number(_ sql: String, _ arguments: any StorageConvertible...) throws(StorageError) -> Int64? {
    guard let row = try rows(sql, arguments.map(\.storageValue)).first, let name = row.names.first else { return nil }
    return try row.optionalInteger(name)
  }

  /// Runs `body` and rolls its changes back if it throws; a failed statement still ends the whole transaction.
  @discardableResult
  package func attempt<Value>(_ body: () throws -> Value) throws -> Value {
    try run(script: "SAVEPOINT attempt")
    do {
      let value = try body()
      try run(script: "RELEASE SAVEPOINT attempt")
      return value
    } catch {
      if !(error is StorageError) { try run(script: "ROLLBACK TO SAVEPOINT attempt; RELEASE SAVEPOINT attempt") }
      throw error
    }
  }

  /// Calls `body` with each row of a statement, of which only some are in memory at a time; it must run no other statement.
  package func each(
    _ sql: String, _ arguments: any StorageConvertible..., body: (StorageRow) throws -> Void
  ) throws { try each(sql, arguments.map(\.storageValue), body) }
}

/// The first failed statement of a transaction, which then cannot be committed, as in PostgreSQL.
final class FailedStatement {
  private var first: StorageError?

  /// Runs a statement and stores its failure.
  func noting<Value>(_ body: () throws(StorageError) -> Value) throws(StorageError) -> Value {
    do throws(StorageError) { return try body() } catch {
      first = first ?? error
      throw error
    }
  }

  /// Whether a statement has failed.
  var isNoted: Bool { first != nil }

  /// Throws the first failure.
  func check() throws(StorageError) { if let first { throw first } }
}

/// The SQL that differs between the engines.
package enum StorageDialect: Sendable {
  case sqlite, postgreSQL

  /// This engine's spelling of the words in braces of a migration's script.
  private var words: [(name: String, spelling: String)] {
    switch self {
    case .sqlite:
      [
        ("bytes", "BLOB"), ("integer", "INTEGER"), ("real", "REAL"), ("identity", "INTEGER PRIMARY KEY AUTOINCREMENT"),
        ("strict", "STRICT"), ("strict by key", "STRICT, WITHOUT ROWID"), ("by key", "WITHOUT ROWID"),
      ]
    case .postgreSQL:
      [
        ("bytes", "BYTEA"), ("integer", "BIGINT"), ("real", "DOUBLE PRECISION"),
        ("identity", "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY"), ("strict", ""), ("strict by key", ""),
        ("by key", ""),
      ]
    }
  }

  /// Fills in the words of a migration's script.
  ///
  /// The types are `{bytes}`, `{integer}` and `{real}`; `{identity}` is a key that counts by itself. `{strict}`, `{by key}` or
  /// `{strict by key}` after a table makes SQLite check types, store rows by their key, or both.
  package func script(_ text: String) -> String {
    words.reduce(text) { text, word in
      text.split(separator: "{\(word.name)}", omittingEmptySubsequences: false).joined(separator: word.spelling)
    }
  }
}
