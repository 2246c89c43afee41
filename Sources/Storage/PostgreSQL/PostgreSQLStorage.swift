import Dispatch
import Locking

/// PostgreSQL by libpq, over a pool of connections.
package final class PostgreSQLStorage: StorageEngine {
  private struct State {
    var idle: [PostgreSQLConnection] = []
    var count = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
    var isClosed = false
  }

  /// How often a transaction is tried if another changed the same rows, or if its connection was lost before the commit.
  private static let tries = 40
  /// The longest pause before the next try; a random part of it, so that two that met do not meet again.
  private static let longestPause = 0.1
  /// Any number that nothing else takes as its lock.
  private static let exclusiveLock: StorageValue = 7_235_101_413

  package let dialect = StorageDialect.postgreSQL
  /// The address without the user, for messages.
  package var name: String { address.shown }
  private let address: PostgreSQLAddress
  private let password: String?
  private let library: PostgreSQLLibrary
  private let limit: Int
  private let state = Locked(State())

  /// Creates a pool of at most `connections`; nothing is connected yet. Throws ``StorageError/unreachable(_:)`` if libpq is missing.
  package init(_ address: PostgreSQLAddress, password: String?, connections: Int = 8) throws(StorageError) {
    guard let library = PostgreSQLLibrary.shared else {
      throw .unreachable("libpq is not installed; on Debian: apt-get install \(PostgreSQLLibrary.package)")
    }
    (self.address, self.password, self.library, limit) = (address, password, library, max(connections, 1))
  }

  package func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) async throws -> Value { try await retrying("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", body) }

  @discardableResult
  package func write<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) async throws -> Value { try await retrying("BEGIN", body) }

  package func exclusively<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) async throws -> Value {
    // Each statement sees what is there when it begins; a serializable transaction would see what was there before it had the lock.
    try await retrying("BEGIN ISOLATION LEVEL READ COMMITTED") { transaction in
      _ = try transaction.rows("SELECT pg_advisory_xact_lock(?)", Self.exclusiveLock)
      return try body(transaction)
    }
  }

  package func close() async {
    let (idle, waiting) = state.withLock { state in
      state.isClosed = true
      defer { (state.idle, state.waiting) = ([], []) }
      return (state.idle, state.waiting)
    }
    for waiter in waiting { waiter.resume() }
    // Sends the farewell on the connection's own queue.
    for connection in idle { try? await connection.perform { _ in } }
  }

  /// Begins a transaction that outlasts single calls, such as one that holds a row while work is done for it.
  package func begin() async throws -> OpenTransaction {
    var tries = 1
    while true {
      let connection = try await take()
      do {
        // Rows are skipped that others hold, so what is read need not be the same throughout.
        try await connection.perform { try $0.run(script: "BEGIN ISOLATION LEVEL READ COMMITTED") }
        return OpenTransaction(connection) { [self] in give(connection) }
      } catch {
        give(connection)
        guard case StorageError.unreachable = error, tries < Self.tries else { throw error }
        tries += 1
      }
    }
  }

  private func retrying<Value: Sendable>(
    _ begin: String, _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) async throws -> Value {
    var tries = 1
    while true {
      try Task.checkCancellation()
      let connection = try await take()
      do {
        let value = try await connection.perform { try $0.transaction(begin, body) }
        give(connection)
        return value
      } catch {
        let wasConnected = give(connection)
        switch error {
        case StorageError.conflict where tries < Self.tries: break
        // The connection had been lost while nobody used it; a new one shows whether the database is there.
        case StorageError.unreachable where !wasConnected && tries < 3: break
        default: throw error
        }
        try await Task.sleep(for: .seconds(Double.random(in: 0...min(Self.longestPause, 0.002 * Double(tries)))))
        tries += 1
      }
    }
  }

  private func take() async throws -> PostgreSQLConnection {
    enum Turn { case use(PostgreSQLConnection), open, wait, closed }
    while true {
      let turn = state.withLock { state -> Turn in
        if state.isClosed { return .closed }
        if let connection = state.idle.popLast() { return .use(connection) }
        guard state.count < limit else { return .wait }
        state.count += 1
        return .open
      }
      switch turn {
      case .use(let connection): return connection
      case .closed: throw StorageError.unreachable("the database was closed")
      case .wait:
        await withCheckedContinuation { continuation in
          let isFree = state.withLock { state in
            guard !state.isClosed, state.idle.isEmpty, state.count >= limit else { return true }
            state.waiting.append(continuation)
            return false
          }
          if isFree { continuation.resume() }
        }
      case .open:
        do { return try await open() } catch {
          free { $0.count -= 1 }
          throw error
        }
      }
    }
  }

  /// Connects on a thread of its own, since it blocks.
  private func open() async throws -> PostgreSQLConnection {
    try await withCheckedThrowingContinuation { continuation in
      PostgreSQLConnection.opening.async { [self] in
        continuation.resume(with: Result { try PostgreSQLConnection.open(address, password: password, library: library) })
      }
    }
  }

  /// Takes a connection back, or lets it go if it cannot be used again; whether it was still connected.
  @discardableResult
  private func give(_ connection: PostgreSQLConnection) -> Bool {
    let isReusable = connection.isReusable
    free { state in
      if isReusable, !state.isClosed { state.idle.append(connection) } else { state.count -= 1 }
    }
    return connection.isConnected
  }

  private func free(_ change: (inout State) -> Void) {
    let waiter = state.withLock { state in
      change(&state)
      return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
    }
    waiter?.resume()
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
  let connection: PostgreSQLConnection
  let failed = FailedStatement()

  func execute(_ sql: String, _ arguments: [StorageValue]) throws(StorageError) -> Int {
    try failed.noting { () throws(StorageError) in try connection.run(sql, arguments).changed }
  }

  func rows(_ sql: String, _ arguments: [StorageValue]) throws(StorageError) -> [StorageRow] {
    try failed.noting { () throws(StorageError) in try connection.run(sql, arguments).rows }
  }

  func run(script: String) throws(StorageError) {
    try failed.noting { () throws(StorageError) in try connection.run(script: script) }
  }
}

/// A transaction that the caller ends. If it is dropped, or the process dies, the database undoes it and frees what it holds.
package final class OpenTransaction: Sendable {
  private let connection: PostgreSQLConnection
  private let end: @Sendable () -> Void
  private let isOver = Locked(false)

  fileprivate init(_ connection: PostgreSQLConnection, end: @escaping @Sendable () -> Void) {
    (self.connection, self.end) = (connection, end)
  }

  deinit { if !isOver.withLock({ $0 }) { end() } }

  /// Runs statements; throws ``StorageError``, or what `body` throws.
  @discardableResult
  package func perform<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) async throws -> Value { try await connection.perform { try body(PostgreSQLTransaction(connection: $0)) } }

  /// Commits; throws ``StorageError/inDoubt`` if the connection was lost meanwhile.
  package func commit() async throws { try await finish { try $0.commit() } }

  /// Undoes everything.
  package func rollBack() async { try? await finish { if $0.isConnected { try $0.run(script: "ROLLBACK") } } }

  private func finish(_ body: @escaping @Sendable (PostgreSQLConnection) throws -> Void) async throws {
    defer {
      if !isOver.withLock({ isOver in
        defer { isOver = true }
        return isOver
      }) {
        end()
      }
    }
    try await connection.perform(body)
  }
}
