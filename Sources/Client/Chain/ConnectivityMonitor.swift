package import Domain
import Locking

/// One client's connectivity and the calls that wait for it.
package final class ConnectivityMonitor: Sendable {
  enum WaitOutcome: Hashable, Sendable {
    /// The call may be sent.
    case go
    /// Its deadline passed.
    case timedOut
    /// Its task was canceled.
    case cancelled
  }

  private struct Waiter {
    let continuation: CheckedContinuation<WaitOutcome?, Never>
    let timer: Task<Void, Never>
  }

  private struct State {
    var connectivity = Connectivity()
    var waiters: [UInt64: Waiter] = [:]
    var nextID: UInt64 = 0
  }

  private let state = Locked(State())
  private let time: Time

  /// Creates a monitor in which the backend counts as reachable.
  package init(time: Time) { self.time = time }

  /// Whether the backend counts as unreachable.
  package var isOffline: Bool { state.withLock { $0.connectivity.isOffline } }

  /// Whether the last attempt failed to reach the backend.
  var hasRecentFailure: Bool { state.withLock { $0.connectivity.hasRecentFailure } }

  /// The number of waiting calls.
  package var waitingCount: Int { state.withLock { $0.waiters.count } }

  /// Marks the backend as reachable again, because the cause of earlier failures is removed; waiting calls check again.
  func reset() {
    let waiters = state.withLock { state in
      state.connectivity = Connectivity()
      return Self.removeAllWaiters(&state)
    }
    Self.wake(waiters)
  }

  /// Lets the next call be sent as a probe at once, because the backend may be reachable again.
  func allowProbe() { state.withLock { $0.connectivity.allowProbe(now: time.monotonic()) } }

  /// Records how an attempt ended; returns whether `isOffline` changed.
  @discardableResult
  func note(_ signal: Connectivity.Signal) -> Bool {
    let (hasChanged, waiters) = state.withLock { state in
      let before = state.connectivity.isOffline
      state.connectivity.note(signal, now: time.monotonic())
      return (before != state.connectivity.isOffline, signal == .reached ? Self.removeAllWaiters(&state) : [])
    }
    Self.wake(waiters)
    return hasChanged
  }

  /// Whether a call that cannot wait may be sent now.
  func admits() -> Bool {
    state.withLock { $0.connectivity.admit(canWait: false, now: time.monotonic()) } == .go
  }

  /// Waits until a call may be sent.
  func waitUntilAdmitted(until deadline: ContinuousClock.Instant) async -> WaitOutcome {
    while true {
      guard time.monotonic() < deadline else { return .timedOut }
      if let turn = await step(until: deadline) { return turn }
    }
  }

  /// Waits once; returns nil if the caller has to check again.
  private func step(until deadline: ContinuousClock.Instant) async -> WaitOutcome? {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let turn: WaitOutcome?? = state.withLock { state in
          // Under the lock, so that neither a cancellation nor a successful call is missed.
          if Task.isCancelled { return .some(.cancelled) }
          guard case .wait(let instant) = state.connectivity.admit(canWait: true, now: time.monotonic()) else {
            return .some(.go)
          }
          let end = min(instant, deadline)
          let timer = Task.detached { [time] in
            guard (try? await time.sleep(end)) != nil else { return }
            self.release(id, with: nil)
          }
          state.waiters[id] = Waiter(continuation: continuation, timer: timer)
          return nil
        }
        if let turn { continuation.resume(returning: turn) }
      }
    } onCancel: {
      release(id, with: .cancelled)
    }
  }

  private func release(_ id: UInt64, with turn: WaitOutcome?) {
    guard let waiter = state.withLock({ $0.waiters.removeValue(forKey: id) }) else { return }
    waiter.timer.cancel()
    waiter.continuation.resume(returning: turn)
  }

  private static func removeAllWaiters(_ state: inout State) -> [Waiter] {
    defer { state.waiters = [:] }
    return Array(state.waiters.values)
  }

  private static func wake(_ waiters: [Waiter]) {
    for waiter in waiters {
      waiter.timer.cancel()
      waiter.continuation.resume(returning: nil)
    }
  }
}
