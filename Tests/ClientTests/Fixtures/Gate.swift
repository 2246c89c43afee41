import Locking

/// Blocks tasks until it is opened, and reports how many have arrived.
final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var held: [CheckedContinuation<Void, Never>] = []
    var arrived = 0
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Locked(State())

  /// Waits until the gate is open.
  func pass() async {
    await withCheckedContinuation { continuation in
      let resumed = state.withLock { state in
        state.arrived += 1
        let arrived = state.arrived
        var resumed = state.watchers.filter { $0.count <= arrived }.map(\.continuation)
        state.watchers.removeAll { $0.count <= arrived }
        if state.isOpen { resumed.append(continuation) } else { state.held.append(continuation) }
        return resumed
      }
      for continuation in resumed { continuation.resume() }
    }
  }

  /// Lets all tasks through from now on.
  func open() {
    let held = state.withLock { state in
      defer { state.held = [] }
      state.isOpen = true
      return state.held
    }
    for continuation in held { continuation.resume() }
  }

  /// Waits until `count` tasks have arrived in total.
  func waitForArrivals(_ count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        if state.arrived >= count { return true }
        state.watchers.append((count, continuation))
        return false
      }
      if isReady { continuation.resume() }
    }
  }
}
