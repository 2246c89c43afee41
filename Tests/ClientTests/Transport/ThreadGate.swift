import Dispatch

/// Blocks a server's thread until a test opens it.
final class ThreadGate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  /// Waits until it is open.
  func wait() {
    semaphore.wait()
    semaphore.signal()
  }

  /// Opens it permanently.
  func open() { semaphore.signal() }
}
