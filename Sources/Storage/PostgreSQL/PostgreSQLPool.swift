import Dispatch
import Locking

/// Connections to a database, which are opened when they are needed and kept while they are not.
final class PostgreSQLPool: Sendable {
  private struct State {
    var idle: [PostgreSQLConnection] = []
    var count = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
    var isClosed = false
  }

  let address: PostgreSQLAddress
  private let password: String?
  private let library: PostgreSQLLibrary
  private let limit: Int
  private let state = Locked(State())

  /// Nothing is connected yet. Throws ``StorageError/unreachable(_:)`` if libpq is missing.
  init(_ address: PostgreSQLAddress, password: String?, connections: Int) throws(StorageError) {
    guard let library = PostgreSQLLibrary.shared else {
      throw .unreachable("libpq is not installed; on Debian: apt-get install \(PostgreSQLLibrary.package)")
    }
    (self.address, self.password, self.library, limit) = (address, password, library, max(connections, 1))
  }

  /// Closes every connection; later calls of `take` fail.
  func close() async {
    let (idle, waiting) = state.withLock { state in
      state.isClosed = true
      defer { (state.idle, state.waiting) = ([], []) }
      return (state.idle, state.waiting)
    }
    for waiter in waiting { waiter.resume() }
    // Sends the farewell on the connection's own queue.
    for connection in idle { try? await connection.perform { _ in } }
  }

  /// A connection that nobody else uses, to be given back with `give`; waits for one if all are used. Throws ``StorageError``.
  func take() async throws -> PostgreSQLConnection {
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
  func open() async throws -> PostgreSQLConnection {
    try await withCheckedThrowingContinuation { continuation in
      PostgreSQLConnection.opening.async { [self] in
        continuation.resume(with: Result { try PostgreSQLConnection.open(address, password: password, library: library) })
      }
    }
  }

  /// Takes a connection back, or lets it go if it cannot be used again; whether it was still connected.
  @discardableResult
  func give(_ connection: PostgreSQLConnection) -> Bool {
    let isReusable = connection.isReusable
    free { state in
      if isReusable, !state.isClosed { state.idle.append(connection) } else { state.count -= 1 }
      // If the database was restarted, the others are lost too.
      guard !connection.isConnected else { return }
      state.count -= state.idle.count
      state.idle = []
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
