import Foundation
import Locking

/// The output of a process so far.
final class WrittenLines: Sendable {
  private let data: Locked<Data> = Locked(Data())

  /// Reads on its own thread until the pipe ends: a file handle with a `readabilityHandler` closes its descriptor while
  /// libdispatch still watches it, and the next pipe with that number crashes the process.
  init(_ handle: FileHandle) {
    Thread.detachNewThread {
      while case let more = handle.availableData, !more.isEmpty {
        self.data.withLock { $0 += more }
      }
    }
  }

  /// The whole output.
  var text: String { String(decoding: data.withLock { $0 }, as: UTF8.self) }
}
