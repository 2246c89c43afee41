import Dispatch
import Locking

extension PostgreSQLStorage {
  package func readAndWait<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) throws -> Value { try Self.waiting { try await self.read(body) } }

  @discardableResult
  package func writeAndWait<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) throws -> Value { try Self.waiting { try await self.write(body) } }

  /// Blocks the thread until `body` has run on threads of its own: those of Swift's pool may all be waiting here.
  private static func waiting<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    let result = Locked<Result<Value, any Error>?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    Task.detached(executorPreference: WaitingExecutor.shared) {
      let ended: Result<Value, any Error>
      do { ended = .success(try await body()) } catch { ended = .failure(error) }
      result.withLock { $0 = ended }
      isDone.signal()
    }
    isDone.wait()
    guard let result = result.withLock({ $0 }) else { throw CancellationError() }
    return try result.get()
  }

  /// Continues after `seconds`, whatever Swift's pool does meanwhile.
  static func pause(seconds: Double) async {
    await withCheckedContinuation { continuation in
      WaitingExecutor.shared.queue.asyncAfter(deadline: .now() + seconds) { continuation.resume() }
    }
  }
}
