import Glibc

/// The kernel has no memory for a call now (ENOBUFS, ENOMEM): a passing state, of which no event tells the end.
///
/// A socket that lacks memory is writable as far as epoll knows, so waiting for that would spin.
enum MemoryShortage {
  /// How long a call rests before it is tried again.
  static let pause = Duration.milliseconds(10)

  /// Whether an error code says so.
  static func matches(_ code: Int32) -> Bool { code == ENOBUFS || code == ENOMEM }
}

extension Channel {
  /// Suspends for a moment after a shortage of memory; ``Wake/ready`` means that the call may be tried again.
  nonisolated(nonsending) func pause(_ slot: Slot, until deadline: ContinuousClock.Instant?) async -> Wake {
    let end = ContinuousClock.now + MemoryShortage.pause
    if let deadline, deadline <= end { return await wait(slot, for: 0, until: deadline) }
    let wake = await wait(slot, for: 0, until: end)
    return wake == .timedOut ? .ready : wake
  }
}
