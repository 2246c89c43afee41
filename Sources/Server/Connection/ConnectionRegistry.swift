import Reactor
import Locking

/// The open connections of a server. Counts them, wakes event streams when the server stops, and closes all of them.
final class ConnectionRegistry: Sendable {
  private struct State {
    var next: UInt64 = 1
    var streams: [UInt64: any ByteStream] = [:]
    var wakes: [UInt64: WakeSignal] = [:]
    var emptied: WakeSignal?
  }

  private let state = Locked(State())
  /// Written while the lock is taken; every response reads it without the lock.
  private let hasBegunStopping = AtomicFlag()

  /// Adds a connection; returns nil if there are `limit` already.
  func add(_ stream: any ByteStream, limit: Int) -> UInt64? {
    state.withLock { state in
      guard state.streams.count < limit else { return nil }
      defer { state.next += 1 }
      state.streams[state.next] = stream
      return state.next
    }
  }

  /// Removes a connection that has ended.
  func remove(_ id: UInt64) {
    let emptied = state.withLock { state -> WakeSignal? in
      state.streams[id] = nil
      state.wakes[id] = nil
      return state.streams.isEmpty ? state.emptied : nil
    }
    emptied?.signal()
  }

  /// Signals `wake` when the server stops.
  func wakeOnStop(_ id: UInt64, _ wake: WakeSignal) {
    let isLate = state.withLock { state in
      state.wakes[id] = wake
      return isStopping
    }
    if isLate { wake.signal() }
  }

  /// The number of open connections.
  var count: Int { state.withLock { $0.streams.count } }

  /// Whether the server is stopping, so that no connection is kept alive.
  var isStopping: Bool { hasBegunStopping.isSet }

  /// Begins the stop and wakes the event streams.
  func beginStopping() {
    let wakes = state.withLock { state in
      hasBegunStopping.set()
      return Array(state.wakes.values)
    }
    for wake in wakes { wake.signal() }
  }

  /// Waits until no connection is open or `limit` has passed; returns whether none is open.
  func waitUntilEmpty(within limit: Duration) async -> Bool {
    let wake = WakeSignal()
    let isEmpty = state.withLock { state in
      state.emptied = wake
      return state.streams.isEmpty
    }
    if isEmpty { return true }
    let timer = Task {
      try? await Task.sleep(for: limit)
      wake.signal()
    }
    await wake.wait()
    timer.cancel()
    return count == 0
  }

  /// Closes every connection at once and cancels its task.
  func closeAll() {
    // Close before canceling, so that no response that results from the cancellation is sent.
    for stream in state.withLock({ Array($0.streams.values) }) {
      stream.loop.execute {
        stream.close()
        stream.task?.cancel()
      }
    }
  }
}
