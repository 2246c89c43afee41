import Foundation

/// Waits until a condition is true or the task is canceled, which the suite's time limit does.
///
/// - Returns: Whether the condition became true.
@discardableResult
package func eventually(_ condition: () async throws -> Bool) async rethrows -> Bool {
  var looks = 0
  while try await !condition() {
    if Task.isCancelled { return false }
    looks += 1
    // Ready tasks need only a turn. Other threads and processes need the processor, which the pause leaves to them.
    if looks < 50 { await Task.yield() } else { try? await Task.sleep(for: .milliseconds(1)) }
  }
  return true
}

extension OwnThread {
  /// Waits on the calling thread until a condition is true or the task is canceled.
  ///
  /// - Returns: Whether the condition became true.
  @discardableResult
  package static func wait(until condition: () throws -> Bool) rethrows -> Bool {
    while try !condition() {
      if Task.isCancelled { return false }
      usleep(1000)
    }
    return true
  }
}
