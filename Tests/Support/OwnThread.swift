import Foundation

/// Runs code that blocks on a thread of its own, so that it takes none from Swift's pool, which has one a core.
package final class OwnThread: TaskExecutor {
  private static let shared = OwnThread()

  private init() {}

  /// Gives each job a thread.
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// Runs the body and returns what it returns or throws; it stays in the caller's task, so that what it expects counts for its test.
  package static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withTaskExecutorPreference(shared) { try body() }
  }
}
