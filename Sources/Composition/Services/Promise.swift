import Locking

/// A value that arrives once, and that others may wait for.
final class Promise<Value: Sendable>: Sendable {
  private enum State {
    case waiting([CheckedContinuation<Value, Never>])
    case fulfilled(Value)

    /// The value, where it is here.
    var value: Value? {
      guard case .fulfilled(let value) = self else { return nil }
      return value
    }
  }

  private let state = Locked(State.waiting([]))

  /// Gives the value to whoever waits and to whoever asks later; a second one changes nothing.
  func fulfill(_ value: Value) {
    let waiters = state.withLock { state -> [CheckedContinuation<Value, Never>] in
      guard case .waiting(let waiters) = state else { return [] }
      state = .fulfilled(value)
      return waiters
    }
    for waiter in waiters { waiter.resume(returning: value) }
  }

  /// The value, at once where it is here.
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
