import Reactor
import Locking

/// Every open connection of a server: how many there are, how to wake the streaming ones, how to end them all.
final class ConnectionRegistry: Sendable {
  private struct State {
    var next: UInt64 = 1
    var streams: [UInt64: any ByteStream] = [:]
    var wakes: [UInt64: WakeSignal] = [:]
    var emptied: WakeSignal?
  }

  private let state = Locked(State())
  /// Changed under the lock, read by every answer without it.
  private let hasBegunStopping = AtomicFlag()

  /// Adds a connection; nil where there are `limit` already.
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

  /// Has the signal given when the server stops.
  func wakeOnStop(_ id: UInt64, _ wake: WakeSignal) {
    let isLate = state.withLock { state in
      state.wakes[id] = wake
      return isStopping
    }
    if isLate { wake.signal() }
  }

  /// How many connections are open.
  var count: Int { state.withLock { $0.streams.count } }

  /// Whether the server stops: no connection is kept for another request.
  var isStopping: Bool { hasBegunStopping.isSet }

  /// Begins to stop and wakes the event streams.
  func beginStopping() {
    let wakes = state.withLock { state in
      hasBegunStopping.set()
      return Array(state.wakes.values)
    }
    for wake in wakes { wake.signal() }
  }

  /// Waits until no connection is open or the time is over; whether none is.
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

  /// Closes every connection at once and cancels what serves it.
  func closeAll() {
    // Closed before it is cancelled, so that no answer made of a cancellation is sent.
    for stream in state.withLock({ Array($0.streams.values) }) {
      stream.loop.execute {
        stream.close()
        stream.task?.cancel()
      }
    }
  }
}
