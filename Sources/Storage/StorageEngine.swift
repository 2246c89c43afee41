/// A database behind the stores: SQLite for one console, PostgreSQL for several.
package protocol StorageEngine: Sendable {
  /// How it spells what SQL does not spell alike.
  var dialect: StorageDialect { get }

  /// The PostgreSQL schema that its tables are in; nil for the database's own.
  var schema: String? { get }

  /// Runs `body` on one state of the database; throws ``StorageError``, or what `body` throws.
  func read<Value: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> Value) async throws -> Value

  /// Runs `body` in a transaction as if no other ran at the same time, which is on disk when this returns.
  ///
  /// `body` may run more than once. If it throws, or if one of its statements failed, nothing is changed. Throws ``StorageError``, or what `body` throws.
  @discardableResult
  func write<Value: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> Value) async throws -> Value

  /// Runs `body` in a transaction like `write`, while no other program is within this one, and on what they left.
  func exclusively<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) async throws -> Value

  /// Reads like ``read(_:)`` and blocks the thread meanwhile, which must be no event loop's; not to be called within another access.
  func readAndWait<Value: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> Value) throws -> Value

  /// Writes like ``write(_:)`` and blocks the thread meanwhile, which must be no event loop's; not to be called within another access.
  ///
  /// For callers that must not suspend between comparing and saving. Their cancellation does not end it.
  @discardableResult
  func writeAndWait<Value: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> Value) throws -> Value

  /// Removes from the files what was deleted or overwritten, as far as the engine can.
  func purge() async throws

  /// Closes every connection; later transactions fail.
  func close() async
}

extension StorageEngine {
  package var schema: String? { nil }
}

/// The statements of a transaction. They are SQL that both engines know, with `?` for each argument.
package protocol StorageTransaction {
  /// Runs a statement; returns the number of rows that it changed.
  @discardableResult
  func execute(_ sql: String, _ arguments: [StorageValue]) throws(StorageError) -> Int

  /// Runs a statement and returns its rows.
  func rows(_ sql: String, _ arguments: [StorageValue]) throws(StorageError) -> [StorageRow]

  /// Calls `body` with each row of a statement, of which only some are in memory at a time; it must run no other statement.
  ///
  /// Throws ``StorageError``, or what `body` throws, after which no row follows.
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

  /// Runs `body`, and undoes what it changed if it throws; a failed statement still ends the whole transaction.
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

/// The first failure of a transaction's statements, after which the transaction cannot be committed, as PostgreSQL has it.
final class FailedStatement {
  private var first: StorageError?

  /// Runs a statement and remembers its failure.
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

/// What the engines spell differently.
package enum StorageDialect: Sendable {
  case sqlite, postgreSQL

  /// What a migration's script says in braces, as this engine spells it.
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

  /// A script of a migration with its words filled in: the types `{bytes}`, `{integer}` and `{real}`, `{identity}` for a key that
  /// counts by itself, and `{strict}`, `{by key}` or `{strict by key}` behind a table, which has SQLite check types, store rows by
  /// their key, or both.
  package func script(_ text: String) -> String {
    words.reduce(text) { text, word in
      text.split(separator: "{\(word.name)}", omittingEmptySubsequences: false).joined(separator: word.spelling)
    }
  }
}
