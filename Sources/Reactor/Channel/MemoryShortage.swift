import Glibc

/// A lack of kernel memory (ENOBUFS, ENOMEM): temporary, but no event reports its end.
///
/// Epoll reports a socket without memory as writable, so waiting for that event would spin.
enum MemoryShortage {
  /// How long to wait before another try.
  static let pause = Duration.milliseconds(10)

  /// Whether an error code reports a lack of memory.
  static func matches(_ code: Int32) -> Bool { code == ENOBUFS || code == ENOMEM }
}

extension Channel {
  /// Suspends briefly after a lack of memory; ``Wake/ready`` means to try again.
  nonisolated(nonsending) func pause(_ slot: Slot, until deadline: ContinuousClock.Instant?) async -> Wake {
    let end = ContinuousClock.now + MemoryShortage.pause
    if let deadline, deadline <= end { return await wait(slot, for: 0, until: deadline) }
    let wake = await wait(slot, for: 0, until: end)
    return wake == .timedOut ? .ready : wake
  }
}
