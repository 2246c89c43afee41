import Foundation

/// Runs blocking code on its own thread, so that it takes none from Swift's pool, which has one per core.
package final class OwnThread: TaskExecutor {
  private static let shared = OwnThread()

  private init() {}

  /// Runs each job on a new thread.
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// Runs the body and returns its result; it stays in the caller's task, so that expectations count for the caller's test.
  package static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withTaskExecutorPreference(shared) { try body() }
  }
}
