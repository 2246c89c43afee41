package import Domain
import Locking

/// One client's judgement of its connectivity, with the patient calls that wait for it.
package final class ConnectivityMonitor: Sendable {
  /// How waiting ended.
  enum Turn: Hashable, Sendable {
    /// The call may go out.
    case go
    /// Its time ran out.
    case timedOut
    /// Its task was cancelled.
    case cancelled
  }

  private struct Waiter {
    let continuation: CheckedContinuation<Turn?, Never>
    let timer: Task<Void, Never>
  }

  private struct State {
    var connectivity = Connectivity()
    var waiters: [UInt64: Waiter] = [:]
    var nextID: UInt64 = 0
  }

  private let state = Locked(State())
  private let time: Time

  /// A monitor that expects the best.
  package init(time: Time) { self.time = time }

  /// Whether it is clear that the backend is out of reach.
  package var isOffline: Bool { state.withLock { $0.connectivity.isOffline } }

  /// Whether the last attempt reached nothing.
  var isDoubtful: Bool { state.withLock { $0.connectivity.isDoubtful } }

  /// How many calls wait.
  package var waitingCount: Int { state.withLock { $0.waiters.count } }

  /// Takes the network away, as a fault does, or gives it back.
  package func setForcedOffline(_ isForced: Bool) {
    let waiters = state.withLock { state in
      state.connectivity.isForcedOffline = isForced
      return isForced ? [] : Self.takeAll(&state)
    }
    Self.wake(waiters)
  }

  /// Forgets what attempts told, as what they met is known to be gone; whoever waits asks again.
  func forget() {
    let waiters = state.withLock { state in
      let isForced = state.connectivity.isForcedOffline
      state.connectivity = Connectivity()
      state.connectivity.isForcedOffline = isForced
      return Self.takeAll(&state)
    }
    Self.wake(waiters)
  }

  /// Lets the next call go out to see: somebody has a reason to think that the backend is back.
  func see() { state.withLock { $0.connectivity.see(now: time.monotonic()) } }

  /// Takes in how an attempt ended; returns whether the judgement changed.
  @discardableResult
  func note(_ signal: Connectivity.Signal) -> Bool {
    let (hasChanged, waiters) = state.withLock { state in
      let before = state.connectivity.isOffline
      state.connectivity.note(signal, now: time.monotonic())
      return (before != state.connectivity.isOffline, signal == .reached ? Self.takeAll(&state) : [])
    }
    Self.wake(waiters)
    return hasChanged
  }

  /// Whether a call that waits for nothing may go out now.
  func admits() -> Bool {
    state.withLock { $0.connectivity.admit(isPatient: false, now: time.monotonic()) } == .go
  }

  /// Waits until a patient call may go out.
  func turn(until deadline: ContinuousClock.Instant) async -> Turn {
    while true {
      guard time.monotonic() < deadline else { return .timedOut }
      if let turn = await step(until: deadline) { return turn }
    }
  }

  /// Waits once; nil for a reason to ask again.
  private func step(until deadline: ContinuousClock.Instant) async -> Turn? {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let turn: Turn?? = state.withLock { state in
          // Under the lock, so that neither a cancellation nor a call that gets through is missed.
          if Task.isCancelled { return .some(.cancelled) }
          guard case .wait(let instant) = state.connectivity.admit(isPatient: true, now: time.monotonic()) else {
            return .some(.go)
          }
          let end = min(instant ?? deadline, deadline)
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

  private func release(_ id: UInt64, with turn: Turn?) {
    guard let waiter = state.withLock({ $0.waiters.removeValue(forKey: id) }) else { return }
    waiter.timer.cancel()
    waiter.continuation.resume(returning: turn)
  }

  private static func takeAll(_ state: inout State) -> [Waiter] {
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
