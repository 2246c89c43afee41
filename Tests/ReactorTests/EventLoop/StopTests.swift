import CLinux
import Glibc
import Reactor
import Locking
import Support
import Testing

@Suite(.timeLimit(.minutes(1)))
struct StopTests {
  @Test func stopUnderLoadLeavesNoDescriptor() async throws {
    let group = try EventLoopGroup.start(count: 2)
    let endings = Record<StreamError>()
    let listener = try Listener.bind(#require(SocketAddress(host: "127.0.0.1", port: 0)), on: group) { stream, _, _ in
      do throws(StreamError) {
        while true {
          var buffer: [UInt8] = []
          guard try await stream.read(into: &buffer, atMost: 65536, deadline: .now + .seconds(60)) > 0 else { return }
          try await stream.write(buffer, deadline: nil)
        }
      } catch { endings.append(error) }
    }
    let port = listener.localAddress.port
    let clients = try (0..<50).map { _ in try BlockingClient(listener.localAddress) }
    let running = Signal<Void>()
    let floods = clients.map { client in
      Task.detached {
        try? await blocking {
          while true {
            try client.send(pattern(1000))
            guard try !client.receive(exactly: 1000).isEmpty else { return }
            running.fulfil()
          }
        }
      }
    }
    await running.value
    #expect(descriptors(boundTo: port) > 2)
    await group.stop()
    #expect(descriptors(boundTo: port) == 0)
    for flood in floods { await flood.value }
    #expect(endings.values.allSatisfy { [.stopping, .closed, .reset].contains($0) })
    await listener.close()
    await group.stop()
  }

  @Test func stopWakesSuspendedCallsWithItsReason() async throws {
    let inside = Signal<Void>()
    let result = Signal<StreamError?>()
    let group = try EventLoopGroup.start(count: 1)
    let listener = try Listener.bind(#require(SocketAddress(host: "127.0.0.1", port: 0)), on: group) { stream, _, _ in
      inside.fulfil()
      result.fulfil(await readError(stream))
    }
    let client = try BlockingClient(listener.localAddress)
    await inside.value
    await group.stop()
    #expect(await result.value == .stopping)
    withExtendedLifetime(client) {}
  }

  @Test func aStoppedLoopIsFreed() async throws {
    weak var freed: EventLoop?
    do {
      let loop = try EventLoop.start(name: "test")
      freed = loop
      await loop.stop()
    }
    // The thread reports its end just before it releases the loop.
    #expect(await eventually { freed == nil })
  }

  @Test func aHandlerThatWaitsElsewhereDoesNotHoldTheStopUp() async throws {
    let gate = Signal<Void>()
    let inside = Signal<Void>()
    let result = Signal<StreamError?>()
    let group = try EventLoopGroup.start(count: 1)
    let listener = try Listener.bind(#require(SocketAddress(host: "127.0.0.1", port: 0)), on: group) { stream, _, _ in
      inside.fulfil()
      await gate.value
      result.fulfil(await readError(stream))
    }
    let client = try BlockingClient(listener.localAddress)
    await inside.value
    await group.stop()
    #expect(try await blocking { try client.receiveToEnd() } == [])
    gate.fulfil()
    #expect(await result.value == .closed)
  }

  @Test func aTaskThatNeverRestsEndsAfterASecondElsewhere() async throws {
    let loop = try EventLoop.start(name: "test")
    let busy = Task(executorPreference: loop) { while !Task.isCancelled { await Task.yield() } }
    await loop.stop()
    busy.cancel()
    await busy.value
  }

  /// In a process of its own, because the limit applies to the whole process.
  @Test func outOfDescriptorsTheListenerTurnsAwayAndRecovers() async {
    await #expect(processExitsWith: .success) {
      let group = try EventLoopGroup.start(count: 1)
      let address = try #require(SocketAddress(host: "127.0.0.1", port: 0))
      let listener = try Listener.bind(address, on: group) { stream, _, loop in await echo(stream, loop) }
      let probe = try BlockingClient(listener.localAddress)
      try probe.send("x")
      guard try probe.receive(exactly: 1) == Array("x".utf8) else { exit(2) }
      let waiting = try (0..<3).map { _ in try UnconnectedClient() }
      var limit = rlimit(rlim_cur: rlim_t(waiting.map(\.fd).max() ?? 0) + 1, rlim_max: 0)
      var before = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before)
      limit.rlim_max = before.rlim_max
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      while open("/dev/null", O_RDONLY) >= 0 {}
      // Each is accepted with the reserve descriptor and closed at once; otherwise it would wait forever.
      for client in waiting { guard try client.connectAndReceiveToEnd(listener.localAddress).isEmpty else { exit(3) } }
      try probe.send("y")
      guard try probe.receive(exactly: 1) == Array("y".utf8) else { exit(4) }
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before)
      let later = try BlockingClient(listener.localAddress)
      try later.send("z")
      guard try later.receive(exactly: 1) == Array("z".utf8) else { exit(5) }
      await listener.close()
      await group.stop()
      exit(0)
    }
  }
}

/// A socket that is created before descriptors run out, and connects afterwards.
private struct UnconnectedClient {
  let fd: Int32

  init() throws {
    fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var limit = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  func connectAndReceiveToEnd(_ address: SocketAddress) throws -> [UInt8] {
    var target = sockaddr_in()
    target.sin_family = sa_family_t(AF_INET)
    target.sin_port = address.port.bigEndian
    inet_pton(AF_INET, address.host, &target.sin_addr)
    let connected = withUnsafePointer(to: target) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(fd, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
    guard connected == 0 else { throw ClientError(call: "connect", code: errno) }
    // If something else in the process has closed a descriptor, the connection is served, and ends as well.
    shutdown(fd, Int32(SHUT_WR))
    var buffer = [UInt8](repeating: 0, count: 16)
    let count = recv(fd, &buffer, 16, 0)
    guard count >= 0 else { throw ClientError(call: "recv", code: errno) }
    return Array(buffer.prefix(count))
  }
}

/// How many of this process's sockets have this local port: the server's side of connections and the listeners.
private func descriptors(boundTo port: UInt16) -> Int {
  (0..<4096).count { fd in
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(Int32(fd), $0, &length) }
    }
    return result == 0 && address.sin_family == sa_family_t(AF_INET) && UInt16(bigEndian: address.sin_port) == port
  }
}
