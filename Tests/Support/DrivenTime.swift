package import Domain
package import FoundationEssentials
import Locking

/// A `Time` that only a test advances; no task really sleeps.
package final class DrivenTime: Sendable {
  private struct Sleeper {
    let deadline: ContinuousClock.Instant
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var wall: Date
    var monotonic: ContinuousClock.Instant
    var sleepers: [UInt64: Sleeper] = [:]
    var cancelled: Set<UInt64> = []
    var nextID: UInt64 = 0
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state: Locked<State>

  /// Starts at the wall instant, by default 2026-11-21T12:00:00Z.
  package init(wall: Date = Date(timeIntervalSince1970: 1_795_262_400)) {
    state = Locked(State(wall: wall, monotonic: ContinuousClock().now))
  }

  /// The clocks to hand to the code under test.
  package var time: Time {
    Time(
      wall: { self.wall },
      monotonic: { self.now },
      sleep: { try await self.sleep(until: $0) })
  }

  /// The current wall clock.
  package var wall: Date { state.withLock { $0.wall } }

  /// The current monotonic instant.
  package var now: ContinuousClock.Instant { state.withLock { $0.monotonic } }

  /// The number of sleeping tasks.
  package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// The time until the first sleeper wakes; nil if no task sleeps.
  package var untilNext: Duration? {
    state.withLock { state in state.sleepers.values.map(\.deadline).min().map { $0 - state.monotonic } }
  }

  /// Advances both clocks and wakes the sleepers that are due, earliest first.
  package func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.monotonic = state.monotonic.advanced(by: duration)
      state.wall.addTimeInterval(duration / .seconds(1))
      let due = state.sleepers.filter { $0.value.deadline <= state.monotonic }
      for id in due.keys { state.sleepers[id] = nil }
      return due.values.sorted { $0.deadline < $1.deadline }
    }
    for sleeper in due { sleeper.continuation.resume() }
  }

  /// Moves the wall clock only, as a user or NTP would.
  package func stepWall(by seconds: TimeInterval) {
    state.withLock { $0.wall.addTimeInterval(seconds) }
  }

  /// Returns once at least `count` tasks sleep.
  package func waitForSleepers(_ count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let ready = state.withLock { state in
        if state.sleepers.count >= count { return true }
        state.watchers.append((count, continuation))
        return false
      }
      if ready { continuation.resume() }
    }
  }

  private func sleep(until deadline: ContinuousClock.Instant) async throws {
    let id = state.withLock { state in
      defer { state.nextID += 1 }
      return state.nextID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        enum Outcome { case wait([CheckedContinuation<Void, Never>]), due, cancelled }
        let outcome = state.withLock { state -> Outcome in
          if state.cancelled.remove(id) != nil { return .cancelled }
          if deadline <= state.monotonic { return .due }
          state.sleepers[id] = Sleeper(deadline: deadline, continuation: continuation)
          let count = state.sleepers.count
          let ready = state.watchers.filter { $0.count <= count }.map(\.continuation)
          state.watchers.removeAll { $0.count <= count }
          return .wait(ready)
        }
        switch outcome {
        case .due: continuation.resume()
        case .cancelled: continuation.resume(throwing: CancellationError())
        case .wait(let ready): for watcher in ready { watcher.resume() }
        }
      }
    } onCancel: {
      let sleeper = state.withLock { state -> Sleeper? in
        if let sleeper = state.sleepers.removeValue(forKey: id) { return sleeper }
        state.cancelled.insert(id)
        return nil
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }
}
