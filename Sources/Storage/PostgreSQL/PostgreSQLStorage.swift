import Dispatch
import Locking

/// PostgreSQL by libpq, over a pool of connections.
package final class PostgreSQLStorage: StorageEngine {
  /// The number of tries of a transaction while others change the same rows.
  private static let tries = 40
  /// The number of tries if the connection is lost before the commit; the first loss also closes the unused connections.
  private static let triesOfLost = 3
  /// The longest pause before the next try; the pause is a random part of it, so that two transactions do not collide again.
  private static let longestPause = 0.1
  /// The lock's number, which no other code uses.
  private static let exclusiveLock = 7_235_101_413

  package let dialect = StorageDialect.postgreSQL
  package let schema: String?
  let pool: PostgreSQLPool
  /// The mode of a write.
  private let writing: String

  /// Creates a pool of at most `connections` without connecting.
  ///
  /// The database ends a write that is idle for the given milliseconds, for example because the program was stopped, and releases its
  /// rows. Throws ``StorageError/unreachable(_:)`` if libpq is missing.
  package init(
    _ address: PostgreSQLAddress, password: String?, connections: Int = 8, stalledMilliseconds: Int = 3000
  ) throws(StorageError) {
    pool = try PostgreSQLPool(address, password: password, connections: connections)
    schema = nil
    writing = "; SET LOCAL idle_in_transaction_session_timeout = \(stalledMilliseconds)"
  }

  private init(_ storage: PostgreSQLStorage, schema: String) {
    pool = storage.pool
    writing = storage.writing
    self.schema = schema
  }

  /// The same database over the same connections, with its tables in the named schema; statements contain the name unquoted.
  package func inSchema(_ name: String) -> PostgreSQLStorage { PostgreSQLStorage(self, schema: name) }

  package func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) async throws -> Value {
    do { return try await retrying("ISOLATION LEVEL REPEATABLE READ READ ONLY", body) } catch StorageError.inDoubt {
      // A read changes nothing, so its outcome is not in doubt.
      throw StorageError.unreachable("the connection to the database was lost")
    }
  }

  @discardableResult
  package func write<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) async throws -> Value { try await retrying(writing, body) }

  package func exclusively<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) async throws -> Value {
    // Each statement sees the latest data; a serializable transaction's data would be from before it had the lock.
    try await retrying("ISOLATION LEVEL READ COMMITTED") { transaction in
      _ = try transaction.rows("SELECT pg_advisory_xact_lock(?)", Self.exclusiveLock)
      return try body(transaction)
    }
  }

  /// Does nothing: the database reuses the space, and sealed bytes stay sealed.
  package func purge() async throws {}

  package func close() async { await pool.close() }

  /// The number of callers that wait for a connection.
  var waitingCount: Int { pool.waitingCount }

  /// Begins a transaction that outlasts single calls, such as one that holds a row while the work for it runs.
  package func begin() async throws -> OpenTransaction {
    var tries = 1
    while true {
      let connection = try await pool.take()
      do {
        // Rows that other transactions hold are skipped, so reads need not be consistent.
        try await connection.perform { [begin = begin("ISOLATION LEVEL READ COMMITTED")] in
          $0.forgetFailures()
          try $0.run(script: begin)
        }
        return OpenTransaction(connection) { [pool] in pool.give(connection) }
      } catch {
        let wasConnected = pool.give(connection)
        guard case StorageError.unreachable = error, !wasConnected, tries < Self.triesOfLost else { throw error }
        tries += 1
      }
    }
  }

  /// The statement that begins a transaction in this mode; one message with the schema, so that it costs one round trip.
  ///
  /// The schema is `LOCAL`, so that it ends with the transaction: the next one on the connection may be of another.
  private func begin(_ mode: String) -> String {
    let begin = "BEGIN \(mode)"
    return schema.map { "\(begin); SET LOCAL search_path = \($0)" } ?? begin
  }

  /// Runs on its own threads, so that a caller can release its connection while every thread of Swift's pool waits for one.
  private func retrying<Value: Sendable>(
    _ mode: String, _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) async throws -> Value {
    try await withTaskExecutorPreference(WaitingExecutor.shared) { try await self.trying(mode, body) }
  }

  private func trying<Value: Sendable>(
    _ mode: String, _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) async throws -> Value {
    var tries = 1
    while true {
      try Task.checkCancellation()
      let connection = try await pool.take()
      do {
        let value = try await connection.perform { [begin = begin(mode)] in try $0.transaction(begin, body) }
        pool.give(connection)
        return value
      } catch {
        let wasConnected = pool.give(connection)
        switch error {
        case StorageError.conflict where tries < Self.tries: break
        // The connection was lost while it was unused; a new one shows whether the database is reachable.
        case StorageError.unreachable where !wasConnected && tries < Self.triesOfLost: break
        default: throw error
        }
        await Self.pause(seconds: Double.random(in: 0...min(Self.longestPause, 0.002 * Double(tries))))
        tries += 1
      }
    }
  }
}

extension PostgreSQLConnection {
  /// Runs `body` between a begin and a commit; see ``StorageEngine/write(_:)``.
  fileprivate func transaction<Value>(_ begin: String, _ body: (any StorageTransaction) throws -> Value) throws -> Value {
    try run(script: begin)
    let value: Value
    do {
      let transaction = PostgreSQLTransaction(connection: self)
      value = try body(transaction)
      try transaction.failed.check()
    } catch {
      if isConnected { try? run(script: "ROLLBACK") }
      throw error
    }
    try commit()
    return value
  }

  /// Commits; throws ``StorageError/inDoubt`` if the connection was lost meanwhile.
  fileprivate func commit() throws(StorageError) {
    do throws(StorageError) { try run(script: "COMMIT") } catch {
      guard case .unreachable = error else { throw error }
      throw .inDoubt
    }
  }
}

/// The statements on one connection.
struct PostgreSQLTransaction: StorageTransaction {
  /// How many rows of `each` are in memory at a time.
  private static let fetched = 200

  let connection: PostgreSQLConnection
  var failed = FailedStatement()

  func execute(_ sql: String, _ arguments: [StorageValue]) throws(StorageError) -> Int {
    try failed.noting { () throws(StorageError) in try connection.run(sql, arguments).changed }
  }

  func rows(_ sql: String, _ arguments: [StorageValue]) throws(StorageError) -> [StorageRow] {
    try failed.noting { () throws(StorageError) in try connection.run(sql, arguments).rows }
  }

  func each(_ sql: String, _ arguments: [StorageValue], _ body: (StorageRow) throws -> Void) throws {
    // One name suffices for the cursor, because `body` runs no other statement.
    _ = try execute("DECLARE each_row NO SCROLL CURSOR FOR \(sql)", arguments)
    let result = Result {
      while case let rows = try self.rows("FETCH \(Self.fetched) FROM each_row", []), !rows.isEmpty {
        for row in rows { try body(row) }
      }
    }
    // A failed transaction has closed it.
    if !failed.isNoted { try run(script: "CLOSE each_row") }
    try result.get()
  }

  func run(script: String) throws(StorageError) {
    try failed.noting { () throws(StorageError) in try connection.run(script: script) }
  }
}

/// A transaction that the caller ends. If it is released, or the process dies, the database rolls it back and releases its rows.
package final class OpenTransaction: Sendable {
  private let connection: PostgreSQLConnection
  private let end: @Sendable () -> Void
  private let isOver = Locked(false)

  fileprivate init(_ connection: PostgreSQLConnection, end: @escaping @Sendable () -> Void) {
    self.connection = connection
    self.end = end
  }

  deinit { if !isOver.withLock({ $0 }) { end() } }

  /// Runs statements; throws ``StorageError``, or the errors of `body`.
  @discardableResult
  package func perform<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) async throws -> Value { try await connection.perform { try body(PostgreSQLTransaction(connection: $0, failed: $0.failed)) } }

  /// Commits; throws ``StorageError/inDoubt`` if the connection was lost meanwhile, and the failure of a statement before.
  package func commit() async throws {
    try await finish { connection in
      do { try connection.failed.check() } catch {
        if connection.isConnected { try? connection.run(script: "ROLLBACK") }
        throw error
      }
      try connection.commit()
    }
  }

  /// Rolls everything back.
  package func rollBack() async { try? await finish { if $0.isConnected { try $0.run(script: "ROLLBACK") } } }

  private func finish(_ body: @escaping @Sendable (PostgreSQLConnection) throws -> Void) async throws {
    // Its connection may have another user by now.
    let wasOver = isOver.withLock { isOver in
      defer { isOver = true }
      return isOver
    }
    guard !wasOver else { throw StorageError.statement("25P01") }
    defer { end() }
    try await connection.perform(body)
  }
}

extension PostgreSQLStorage {
  package func readAndWait<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) throws -> Value { try Self.waiting { try await self.read(body) } }

  @discardableResult
  package func writeAndWait<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) throws -> Value { try Self.waiting { try await self.write(body) } }

  /// Blocks the thread until `body` has run on separate threads, because all threads of Swift's pool may be waiting here.
  private static func waiting<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    let result = Locked<Result<Value, any Error>?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    Task.detached(executorPreference: WaitingExecutor.shared) {
      let ended: Result<Value, any Error>
      do { ended = .success(try await body()) } catch { ended = .failure(error) }
      result.withLock { $0 = ended }
      isDone.signal()
    }
    isDone.wait()
    guard let result = result.withLock({ $0 }) else { throw CancellationError() }
    return try result.get()
  }

  /// Continues after `seconds`, regardless of the load of Swift's pool.
  private static func pause(seconds: Double) async {
    await withCheckedContinuation { continuation in
      WaitingExecutor.shared.queue.asyncAfter(deadline: .now() + seconds) { continuation.resume() }
    }
  }
}
