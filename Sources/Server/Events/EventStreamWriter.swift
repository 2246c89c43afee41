import Reactor
import Locking
import Wire

/// Sends the events of one subscription until the channel closes, the client disconnects or the server stops.
struct EventStreamWriter: Sendable {
  private static let batch = 65_536

  let core: ServerCore
  let io: ConnectionIO
  let connection: UInt64
  let subscription: EventSubscription
  let isChunked: Bool

  /// Runs until the stream ends; throws if the client cannot be written to.
  func run() async throws(StreamError) {
    let wake = WakeSignal()
    let isDisconnected = Flag()
    subscription.onEvent { wake.signal() }
    core.registry.wakeOnStop(connection, wake)
    core.metrics.subscribers.add()
    defer {
      subscription.cancel()
      core.metrics.subscribers.add(-1)
    }
    let outcome: Result<Void, StreamError> = await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await io.stream.waitForPeerClose()
        isDisconnected.set()
        wake.signal()
      }
      defer { group.cancelAll() }
      do throws(StreamError) {
        return .success(try await writeEvents(wake, isDisconnected))
      } catch {
        return .failure(error)
      }
    }
    try outcome.get()
  }

  private func writeEvents(_ wake: WakeSignal, _ isDisconnected: Flag) async throws(StreamError) {
    try await send(ServerSentEvent.comment("open"))
    var heartbeatAt = ContinuousClock.now + subscription.heartbeat
    while !isDisconnected.isSet, !core.registry.isStopping, !Task.isCancelled {
      switch subscription.take(upTo: Self.batch) {
      case .closed:
        return try await finish()
      case .events(let bytes):
        try await send(bytes)
        heartbeatAt = ContinuousClock.now + subscription.heartbeat
      case .none:
        if ContinuousClock.now >= heartbeatAt {
          try await send(EventSubscription.heartbeatEvent)
          heartbeatAt = ContinuousClock.now + subscription.heartbeat
        } else {
          let timer = io.stream.loop.schedule(at: heartbeatAt) { wake.signal() }
          await wake.wait()
          io.stream.loop.cancel(timer)
        }
      }
    }
    if isDisconnected.isSet { throw .closed }
    try await finish()
  }

  private func finish() async throws(StreamError) {
    try await send(ServerSentEvent.comment("end"))
    if isChunked { io.append { $0.append(contentsOf: ChunkFraming.end) } }
    try await io.flush()
  }

  private func send(_ bytes: [UInt8]) async throws(StreamError) {
    if isChunked {
      io.append { ChunkFraming.append(bytes, to: &$0) }
    } else {
      io.append { $0.append(contentsOf: bytes) }
    }
    try await io.flush()
  }
}

/// A flag that is set once.
private final class Flag: Sendable {
  private let flag = AtomicFlag()
  var isSet: Bool { flag.isSet }
  func set() { flag.set() }
}
