import Locking

/// One attempt as its caller and the transport's thread share it: what to send, and the one answer.
final class TransferTicket: Sendable {
  /// What to send.
  let request: PreparedRequest
  /// When to give up.
  let deadline: ContinuousClock.Instant
  /// When the caller asked.
  let begun = ContinuousClock.now

  private enum State {
    case fresh
    case waiting(CheckedContinuation<Result<TransportResponse, TransportError>, Never>)
    case done(Result<TransportResponse, TransportError>)
  }

  private let state = Locked(State.fresh)

  /// A ticket that nobody waits for yet.
  init(request: PreparedRequest, deadline: ContinuousClock.Instant) {
    self.request = request
    self.deadline = deadline
  }

  /// Whether the answer is known, as after a cancel.
  var isDone: Bool {
    state.withLock { state in
      if case .done = state { true } else { false }
    }
  }

  /// Gives the caller's continuation; false when the answer came before it, and was handed over here.
  func wait(with continuation: CheckedContinuation<Result<TransportResponse, TransportError>, Never>) -> Bool {
    let early: Result<TransportResponse, TransportError>? = state.withLock { state in
      if case .done(let result) = state { return result }
      state = .waiting(continuation)
      return nil
    }
    guard let early else { return true }
    continuation.resume(returning: early)
    return false
  }

  /// Gives the answer; the first one counts.
  func finish(_ result: Result<TransportResponse, TransportError>) {
    let waiter: CheckedContinuation<Result<TransportResponse, TransportError>, Never>? = state.withLock { state in
      switch state {
      case .done: return nil
      case .fresh:
        state = .done(result)
        return nil
      case .waiting(let continuation):
        state = .done(result)
        return continuation
      }
    }
    waiter?.resume(returning: result)
  }
}
