/// A database behind the stores: SQLite for one console, PostgreSQL for several.
package protocol StorageEngine: Sendable {
  /// How it spells what SQL does not spell alike.
  var dialect: StorageDialect { get }

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

  /// Closes every connection; later transactions fail.
  func close() async
}

/// The statements of a transaction. They are SQL that both engines know, with `?` for each argument.
package protocol StorageTransaction {
  /// Runs a statement; returns the number of rows that it changed.
  @discardableResult
  func execute(_ sql: String, _ arguments: [StorageValue]) throws(StorageError) -> Int

  /// Runs a statement and returns its rows.
  func rows(_ sql: String, _ arguments: [StorageValue]) throws(StorageError) -> [StorageRow]

  /// Runs statements without arguments, separated by semicolons.
  func run(script: String) throws(StorageError)
}

extension StorageTransaction {
  /// Runs a statement; returns the number of rows that it changed.
  @discardableResult
  package func execute(_ sql: String, _ arguments: StorageValue...) throws(StorageError) -> Int { try execute(sql, arguments) }

  /// Runs a statement and returns its rows.
  package func rows(_ sql: String, _ arguments: StorageValue...) throws(StorageError) -> [StorageRow] { try rows(sql, arguments) }
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

  /// Throws the first failure.
  func check() throws(StorageError) { if let first { throw first } }
}

/// What the engines spell differently.
package enum StorageDialect: Sendable {
  case sqlite, postgreSQL

  /// A script of a migration with its types filled in: `{bytes}`, and `{identity}` for a key that counts by itself.
  func script(_ text: String) -> String {
    let (bytes, identity) =
      switch self {
      case .sqlite: ("BLOB", "INTEGER PRIMARY KEY AUTOINCREMENT")
      case .postgreSQL: ("BYTEA", "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY")
      }
    return text.split(separator: "{bytes}", omittingEmptySubsequences: false).joined(separator: bytes)
      .split(separator: "{identity}", omittingEmptySubsequences: false).joined(separator: identity)
  }
}
