import Reactor
import Locking
import Testing

/// Event loops with a listener on a free port of 127.0.0.1 while `body` runs.
func withListener<T>(
  loops: Int = 1, host: String = "127.0.0.1", tls: TLSContext? = nil, handshakeTime: Duration = .seconds(10),
  serve: @escaping @Sendable (any ByteStream, EventLoop) async -> Void,
  _ body: (Listener, EventLoopGroup) async throws -> T
) async throws -> T {
  let group = try EventLoopGroup.start(count: loops)
  do {
    let address = try #require(SocketAddress(host: host, port: 0))
    var options = Listener.Options()
    options.tls = tls
    options.handshakeTime = handshakeTime
    let listener = try Listener.bind(address, on: group, options: options) { stream, _, loop in
      await serve(stream, loop)
    }
    let result = try await body(listener, group)
    await listener.close()
    await group.stop()
    return result
  } catch {
    await group.stop()
    throw error
  }
}

/// A value that another task sets once.
final class Signal<Value: Sendable>: Sendable {
  private let state = Locked<(value: Value?, waiters: [CheckedContinuation<Value, Never>])>((nil, []))

  func fulfil(_ value: Value) {
    let waiters = state.withLock { state in
      guard state.value == nil else { return [CheckedContinuation<Value, Never>]() }
      state.value = value
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume(returning: value) }
  }

  var value: Value {
    get async {
      await withCheckedContinuation { continuation in
        let value = state.withLock { state in
          if state.value == nil { state.waiters.append(continuation) }
          return state.value
        }
        if let value { continuation.resume(returning: value) }
      }
    }
  }
}

extension Signal where Value == Void {
  func fulfil() { fulfil(()) }
}

/// Values in the order in which they arrived.
final class Record<Value: Sendable>: Sendable {
  private let stored = Locked<[Value]>([])

  func append(_ value: Value) { stored.withLock { $0.append(value) } }

  var values: [Value] { stored.withLock { $0 } }
}

/// Echoes until the end of input.
@Sendable func echo(_ stream: any ByteStream, _ loop: EventLoop) async {
  do throws(StreamError) {
    while true {
      var buffer: [UInt8] = []
      guard try await stream.read(into: &buffer, atMost: 65536, deadline: nil) > 0 else { break }
      try await stream.write(buffer, deadline: nil)
    }
    await stream.closeLingering()
  } catch {}
}

/// The error of one read; nil if it succeeded.
func readError(_ stream: any ByteStream, deadline: ContinuousClock.Instant? = nil) async -> StreamError? {
  var buffer: [UInt8] = []
  do throws(StreamError) {
    _ = try await stream.read(into: &buffer, atMost: 1024, deadline: deadline)
    return nil
  } catch {
    return error
  }
}

/// Bytes that differ by offset.
func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ ($0 >> 8)) } }
