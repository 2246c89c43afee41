import Dispatch

/// Runs tasks on its own threads, so that a task can release its connection while every thread of Swift's pool waits for one.
final class WaitingExecutor: TaskExecutor {
  static let shared = WaitingExecutor()
  let queue = DispatchQueue(label: "database waiting", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
