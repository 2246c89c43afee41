import Locking

/// Wakes one waiting task. A signal sent before the wait is remembered.
final class WakeSignal: Sendable {
  private enum State {
    case idle, signalled
    case waiting(CheckedContinuation<Void, Never>)
  }

  private let state = Locked(State.idle)

  /// Wakes the waiter, or the next one to wait.
  func signal() {
    let waiter: CheckedContinuation<Void, Never>? = state.withLock { state in
      guard case .waiting(let continuation) = state else {
        state = .signalled
        return nil
      }
      state = .idle
      return continuation
    }
    waiter?.resume()
  }

  /// Waits for a signal or for the task's cancellation; only one task may wait at a time.
  func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          if case .signalled = state {
            state = .idle
            return true
          }
          state = .waiting(continuation)
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      signal()
    }
  }
}
