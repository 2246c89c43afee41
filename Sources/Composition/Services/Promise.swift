import Locking

/// A value that is set once and that any number of tasks can await.
final class Promise<Value: Sendable>: Sendable {
  private enum State {
    case waiting([CheckedContinuation<Value, Never>])
    case fulfilled(Value)

    /// The value, if it is set.
    var value: Value? {
      guard case .fulfilled(let value) = self else { return nil }
      return value
    }
  }

  private let state = Locked(State.waiting([]))

  /// Sets the value and resumes the waiting tasks; a second call has no effect.
  func fulfill(_ value: Value) {
    let waiters = state.withLock { state -> [CheckedContinuation<Value, Never>] in
      guard case .waiting(let waiters) = state else { return [] }
      state = .fulfilled(value)
      return waiters
    }
    for waiter in waiters { waiter.resume(returning: value) }
  }

  /// The value, if it is set.
  var current: Value? { state.withLock { $0.value } }

  /// The value; waits until it is set.
  var value: Value {
    get async {
      if let value = state.withLock({ $0.value }) { return value }
      return await withCheckedContinuation { continuation in
        let value = state.withLock { state -> Value? in
          guard case .waiting(let waiters) = state else { return state.value }
          state = .waiting(waiters + [continuation])
          return nil
        }
        if let value { continuation.resume(returning: value) }
      }
    }
  }
}
