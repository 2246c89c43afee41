import Dispatch

/// Holds a server's thread until a test opens it.
final class ThreadGate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  /// Waits until it is open; later ones pass.
  func wait() {
    semaphore.wait()
    semaphore.signal()
  }

  /// Opens it for good.
  func open() { semaphore.signal() }
}
