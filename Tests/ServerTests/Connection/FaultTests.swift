import CLinux
import Glibc
import HTTPTypes
import Logging
import Reactor
import Server
import Locking
import Support
import Testing

/// Hostile and unlucky clients. Each test runs in a process of its own, whose descriptors are counted afterwards.
@Suite(.timeLimit(.minutes(1))) struct FaultTests {
  @Test func resetsAtEveryStateLeaveNothing() async {
    await #expect(processExitsWith: .success) {
      let channel = EventChannel(epoch: "e")
      try await FaultProcess.run(respond: { request in
        switch request.path {
        case "/events": return .events(channel.subscribe(after: nil))
        case "/large": return Response(status: .ok, body: .bytes([UInt8](repeating: 1, count: 8 << 20)))
        case "/stream":
          return Response(
            status: .ok,
            body: .stream(length: nil) { writer in
              for _ in 0..<10_000 { try await writer.write([UInt8](repeating: 2, count: 10_000)) }
            })
        default: return await echo(request)
        }
      }) { port in
        let beginnings = [
          "", "GET / HT", "GET / HTTP/1.1\r\nHost: a\r\nX", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\nabc",
          "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\nabc",
          "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n",
          get("/large"), get("/stream"), get("/events"), String(repeating: get("/"), count: 300), get("/large") + get("/large"),
        ]
        for round in 0..<6 {
          for beginning in beginnings {
            let client = RawClient(port: port, receiveBuffer: round % 3 == 2 ? 4096 : nil)
            client.send(beginning)
            // Before the response, during it, and with the response stuck in full buffers.
            if round % 3 == 1 { _ = client.waitReadable(milliseconds: 20) ? client.receive() : nil }
            if round < 3 { client.reset() } else { client.close() }
          }
        }
        await eventually { channel.subscriberCount == 0 }
      }
    }
  }

  @Test func aStormOfSignalsBreaksNothing() async {
    await #expect(processExitsWith: .success) {
      // Without SA_RESTART every blocking call of the loop ends with EINTR.
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { _ in }
      sigaction(SIGUSR1, &action, nil)
      let storm = Storm()
      try await FaultProcess.run(respond: { request in
        storm.loop.set(CurrentThread.id)
        if request.path == "/large" {
          return Response(status: .ok, body: .bytes([UInt8](repeating: 7, count: 4 << 20)))
        }
        return await echo(request)
      }) { port in
        try await RawClient.talk(port) { client in
          client.send(get("/"))
          guard client.answer().status == 200 else { exit(2) }
        }
        async let blowing: Void = RawClient.talk(port) { _ in storm.blow() }
        try await RawClient.talk(port, receiveBuffer: 16_384) { client in
          repeat {
            for number in 0..<200 {
              let body = String(repeating: "b", count: number * 50)
              client.send("POST /\(number) HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
              guard client.answer().text == "POST /\(number) - \(body)" else { exit(3) }
            }
          } while storm.sent.value <= 100
          client.send(get("/large"))
          guard client.answer().body.count == 4 << 20 else { exit(4) }
        }
        storm.isOver.set()
        try await blowing
      }
    }
  }

  @Test func aFloodOfConnectionsOutOfDescriptorsRecovers() async {
    await #expect(processExitsWith: .success) {
      try await FaultProcess.run(respond: echo) { port in
        var before = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before)
        // Descriptors for some connections at both ends, but not for all.
        var limit = rlimit(rlim_cur: rlim_t(FaultProcess.descriptors()) + 70, rlim_max: before.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        var clients: [RawClient] = []
        while true {
          let client = RawClient(port: port)
          if client.descriptor < 0 { break }
          clients.append(client)
        }
        let start = FaultProcess.cpuTime()
        // The loop must pause for half a second although it cannot accept.
        _ = try await RawClient.talk(port) { _ in poll(nil, 0, 500) }
        guard FaultProcess.cpuTime() - start < 0.25 else { exit(2) }
        withExtendedLifetime(clients) {}
        clients = []
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before)
        try await RawClient.talk(port) { client in
          client.send(get("/"))
          guard client.answer().status == 200 else { exit(3) }
        }
      }
    }
  }
}

/// Sends signals to the server's loop as fast as possible.
private final class Storm: Sendable {
  let loop = AtomicWord()
  let isOver = AtomicFlag()
  let sent = AtomicCounter()

  func blow() {
    while !isOver.isSet {
      pthread_kill(pthread_t(loop.value), SIGUSR1)
      sent.add()
    }
  }
}

/// Runs a server in a process that exits with 0 if nothing is left behind.
enum FaultProcess {
  /// The number of open sockets and files. Swift's timers and test tools open descriptors of other kinds at any time, and the
  /// anonymous file for large responses belongs to the process.
  static func descriptors() -> Int {
    var target = [CChar](repeating: 0, count: 64)
    return (0..<1024).count { fd in
      guard readlink("/proc/self/fd/\(fd)", &target, target.count) > 0 else { return false }
      return (target[0] == 0x2F || target[0] == 0x73) && strncmp(target, "/memfd:answers", 14) != 0
    }
  }

  /// The processor time of the process in seconds.
  static func cpuTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Runs the body against a server, waits until its connections have ended, stops it and counts.
  static func run(
    respond: @escaping @Sendable (Request) async -> Response, _ body: (UInt16) async throws -> Void
  ) async throws -> Never {
    // The suite's time limit does not reach this process, so a wait without end is ended by a signal.
    alarm(50)
    let before = descriptors()
    var configuration = HTTPServer.Configuration(addresses: [("127.0.0.1", 0)])
    configuration.limits.headTimeout = .seconds(5)
    let server = HTTPServer(configuration: configuration, logger: Logger(label: "test"), respond: respond)
    let port = try await server.start()[0].port
    // After the first connection everything that a server keeps open is open.
    try await RawClient.talk(port) { client in
      client.send(get("/first"))
      _ = client.answer()
    }
    await eventually { server.connectionCount == 0 }
    let running = descriptors()
    try await body(port)
    await eventually { server.connectionCount == 0 }
    // The descriptor of a connection is closed a moment after its entry is removed.
    await eventually { descriptors() <= running }
    await server.stop(within: .seconds(1))
    // The same holds for a client's descriptor, whose thread may not have ended.
    await eventually { descriptors() <= before }
    exit(0)
  }
}
