import Dispatch

/// Blocks a thread until another opens the gate; only for threads that a test owns.
final class DispatchGate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func wait() { semaphore.wait() }
  func open() { semaphore.signal() }
}
