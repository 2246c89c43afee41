import Foundation
import Locking

/// What a process wrote to a pipe so far.
final class WrittenLines: Sendable {
  private let data: Locked<Data> = Locked(Data())
  private let hasWritten = DispatchSemaphore(value: 0)

  /// Reads on a thread of its own until the pipe ends: a file handle with a `readabilityHandler` closes its descriptor while libdispatch
  /// still watches it, and the next pipe of that number crashes the process.
  init(_ handle: FileHandle) {
    Thread.detachNewThread {
      while case let more = handle.availableData, !more.isEmpty {
        self.data.withLock { $0 += more }
        self.hasWritten.signal()
      }
    }
  }

  /// All of it.
  var text: String { String(decoding: data.withLock { $0 }, as: UTF8.self) }

  /// Waits until more was written; false once the deadline has passed.
  func wait(until deadline: DispatchTime) -> Bool { hasWritten.wait(timeout: deadline) == .success }
}
