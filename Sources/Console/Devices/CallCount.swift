import Domain
import Locking

/// Counts running calls and signals when the last call ends.
package final class CallCount: Sendable {
  /// How long a stopping device waits for its calls: other consoles wait a second for a device.
  package static let finishTimeout = Duration.milliseconds(700)
  private static let interval = Duration.milliseconds(10)

  private let running = Locked(0)

  func begin() { running.withLock { $0 += 1 } }

  func end() { running.withLock { $0 -= 1 } }

  /// Returns when no call runs, or at the deadline.
  func wait(until deadline: ContinuousClock.Instant, _ time: Time) async {
    while running.withLock({ $0 }) > 0, time.monotonic() < deadline {
      guard (try? await time.sleep(min(deadline, time.monotonic() + Self.interval))) != nil else { return }
    }
  }
}

extension Device {
  /// Waits until no call of a page runs, and by default no longer than another console waits.
  func finishCalls(within limit: Duration = CallCount.finishTimeout) async {
    await calls.wait(until: time.monotonic() + limit, time)
  }
}
