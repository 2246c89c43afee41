import Locking

/// Wakes one waiting task; a signal that comes before the wait is kept.
final class WakeSignal: Sendable {
  private enum State {
    case idle, signalled
    case waiting(CheckedContinuation<Void, Never>)
  }

  private let state = Locked(State.idle)

  /// Wakes the waiter, now or when it comes.
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

  /// Waits for one signal, or for the task to be cancelled; only one task may wait.
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
