import Locking

/// One attempt as its caller and the transport's thread share it: the request and the one result.
final class TransferTicket: Sendable {
  let request: PreparedRequest
  /// When the attempt times out.
  let deadline: ContinuousClock.Instant
  /// When the caller requested it.
  let begun = ContinuousClock.now

  private enum State {
    case fresh
    case waiting(CheckedContinuation<Result<TransportResponse, TransportError>, Never>)
    case done(Result<TransportResponse, TransportError>)
  }

  private let state = Locked(State.fresh)

  /// Creates a ticket without a waiting caller.
  init(request: PreparedRequest, deadline: ContinuousClock.Instant) {
    self.request = request
    self.deadline = deadline
  }

  /// Whether there is a result, as after a cancellation.
  var isDone: Bool {
    state.withLock { state in
      if case .done = state { true } else { false }
    }
  }

  /// Sets the caller's continuation; if there is a result already, resumes it and returns false.
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

  /// Sets the result; only the first one counts.
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
