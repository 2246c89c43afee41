package import Reactor
import Locking
import Wire

/// Where a streamed answer writes its bytes; each call returns once they are under way, so a slow client slows the writer.
package struct BodyWriter: Sendable {
  /// How many bytes have been written; a class because copies of the writer must share it.
  final class Count: Sendable {
    /// The sum.
    let value = Locked(0)
  }

  let io: ConnectionIO
  let isChunked: Bool
  let length: Int?
  let count = Count()

  /// Sends the bytes; throws when the client is gone, stalls, or more was written than announced.
  package func write(_ bytes: [UInt8]) async throws(StreamError) {
    guard !io.stream.loop.isCurrent else { return try await send(bytes) }
    // A writer that was handed to another task comes back to the one thread that may touch the connection.
    let outcome: Result<Void, StreamError> = await withTaskExecutorPreference(io.stream.loop) {
      do throws(StreamError) {
        return .success(try await send(bytes))
      } catch {
        return .failure(error)
      }
    }
    try outcome.get()
  }

  private func send(_ bytes: [UInt8]) async throws(StreamError) {
    let total = count.value.withLock { sum in
      sum += bytes.count
      return sum
    }
    if let length, total > length { throw .closed }
    if isChunked {
      io.append { ChunkFraming.append(bytes, to: &$0) }
    } else {
      io.append { $0.append(contentsOf: bytes) }
    }
    try await io.flush()
  }

  /// Whether as many bytes were written as announced.
  var isComplete: Bool { length.map { $0 == count.value.withLock { $0 } } ?? true }
}
