import Dispatch
import Locking

/// Connections to a database, opened when needed and kept for the next use.
final class PostgreSQLPool: Sendable {
  private struct State {
    var idle: [PostgreSQLConnection] = []
    var count = 0
    var waiting: [Waiter] = []
    /// The number of callers that have waited.
    var waiters = 0
    var isClosed = false
  }

  /// A caller that waits until a connection may be free.
  private struct Waiter {
    let number: Int
    let continuation: CheckedContinuation<Void, any Error>
  }

  /// The queue of the timers that limit how long connecting takes.
  private static let timer = DispatchQueue(label: "postgresql timer")

  let address: PostgreSQLAddress
  private let password: String?
  private let library: PostgreSQLLibrary
  private let limit: Int
  private let state = Locked(State())

  /// Creates a pool without connecting.
  ///
  /// - Throws: ``StorageError/unreachable(_:)`` if libpq is missing.
  init(_ address: PostgreSQLAddress, password: String?, connections: Int) throws(StorageError) {
    guard let library = PostgreSQLLibrary.shared else {
      throw .unreachable("libpq is not installed; on Debian: apt-get install \(PostgreSQLLibrary.package)")
    }
    self.address = address
    self.password = password
    self.library = library
    limit = max(connections, 1)
  }

  /// Closes every connection; later calls of `take` fail.
  func close() async {
    let (idle, waiting) = state.withLock { state in
      state.isClosed = true
      defer { (state.idle, state.waiting) = ([], []) }
      return (state.idle, state.waiting)
    }
    for waiter in waiting { waiter.continuation.resume() }
    // The empty call keeps the connection until its own queue closes it.
    for connection in idle { try? await connection.perform { _ in } }
  }

  /// Returns a free connection, which the caller releases with `give`; waits if all are in use.
  ///
  /// Throws ``StorageError``, and `CancellationError` if the task is canceled while it waits.
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
      case .wait: try await wait()
      case .open:
        do { return try await open() } catch {
          free { $0.count -= 1 }
          throw error
        }
      }
    }
  }

  /// Waits until a connection may be free; throws `CancellationError`.
  private func wait() async throws {
    let number = state.withLock { state in
      state.waiters += 1
      return state.waiters
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let turn = state.withLock { state -> Result<Void, any Error>? in
          // The handler may have run before the waiter was added.
          if Task.isCancelled { return .failure(CancellationError()) }
          guard !state.isClosed, state.idle.isEmpty, state.count >= limit else { return .success(()) }
          state.waiting.append(Waiter(number: number, continuation: continuation))
          return nil
        }
        if let turn { continuation.resume(with: turn) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
      }
      waiter?.continuation.resume(throwing: CancellationError())
    }
  }

  /// The number of waiting callers.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Connects on a separate thread, because connecting blocks; closes a connection that comes too late.
  func open() async throws -> PostgreSQLConnection {
    try await withCheckedThrowingContinuation { continuation in
      let caller = Locked<CheckedContinuation<PostgreSQLConnection, any Error>?>(continuation)
      let answer = { @Sendable (result: Result<PostgreSQLConnection, any Error>) in
        let first = caller.withLock { caller in
          defer { caller = nil }
          return caller
        }
        first?.resume(with: result)
      }
      PostgreSQLConnection.opening.async { [address, password, library] in
        answer(Result { try PostgreSQLConnection.open(address, password: password, library: library) })
      }
      // libpq limits the time of each address of a host name, but not of resolving the name.
      Self.timer.asyncAfter(deadline: .now() + .seconds(address.connectSeconds)) { [address] in
        let reason = "\(address.shown): no connection within \(address.connectSeconds) s"
        answer(.failure(StorageError.unreachable(reason)))
      }
    }
  }

  /// Returns a connection to the pool, or closes it if it cannot be used again.
  ///
  /// If it was lost, the unused connections probably are too, as after a restart of the database, so all of them are closed.
  ///
  /// - Returns: Whether it was still connected.
  @discardableResult
  func give(_ connection: PostgreSQLConnection) -> Bool {
    let isReusable = connection.isReusable
    let isConnected = connection.isConnected
    var lost: [PostgreSQLConnection] = []
    free { state in
      if isReusable, !state.isClosed { state.idle.append(connection) } else { state.count -= 1 }
      guard !isConnected else { return }
      swap(&lost, &state.idle)
      state.count -= lost.count
    }
    return isConnected
  }

  /// Changes the state, and resumes as many waiting callers as there is room for.
  private func free(_ change: (inout State) -> Void) {
    let waiters = state.withLock { state in
      change(&state)
      let waiters = state.waiting.prefix(max(state.idle.count + limit - state.count, 0))
      state.waiting.removeFirst(waiters.count)
      return waiters
    }
    for waiter in waiters { waiter.continuation.resume() }
  }
}
