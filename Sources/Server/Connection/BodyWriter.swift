package import Reactor
import Locking
import Wire

/// Writes the bytes of a streamed response. Each call returns after the bytes were handed to the kernel, which is the back
/// pressure.
package struct BodyWriter: Sendable {
  /// The number of bytes written; a class, so that copies of the writer share it.
  final class Count: Sendable {
    /// The total.
    let value = Locked(0)
  }

  let io: ConnectionIO
  let isChunked: Bool
  let length: Int?
  let count = Count()

  /// Sends the bytes; throws if the client disconnected or stalls, or if more bytes were written than announced.
  package func write(_ bytes: [UInt8]) async throws(StreamError) {
    guard !io.stream.loop.isCurrent else { return try await send(bytes) }
    // If the writer was handed to another task, return to the only thread that may touch the connection.
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
