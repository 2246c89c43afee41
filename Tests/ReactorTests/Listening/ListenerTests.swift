import CLinux
import Glibc
import Reactor
import Locking
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ListenerTests {
  @Test(arguments: [1, 2]) func aBusyPortIsRefused(loops: Int) async throws {
    try await withListener(loops: loops, serve: echo) { listener, group in
      #expect(throws: ReactorError.addressInUse(listener.localAddress)) {
        try Listener.bind(listener.localAddress, on: group) { _, _, _ in }
      }
      // The failed attempt does not affect the first listener.
      let answer = try await blocking {
        let client = try BlockingClient(listener.localAddress)
        try client.send("still here")
        return try client.receiveText(exactly: 10)
      }
      #expect(answer == "still here")
    }
  }

  @Test func aPortCanBeUsedAgainAfterClose() async throws {
    let group = try EventLoopGroup.start(count: 2)
    let free = try #require(SocketAddress(host: "127.0.0.1", port: 0))
    let first = try Listener.bind(free, on: group, onConnection: { stream, _, loop in await echo(stream, loop) })
    let address = first.localAddress
    #expect(address.port != 0)
    // The server closes first, so the port remains in TIME_WAIT.
    _ = try await blocking { try BlockingClient(address).shutdownWrite() }
    await first.close()
    let second = try Listener.bind(address, on: group, onConnection: { stream, _, loop in await echo(stream, loop) })
    #expect(second.localAddress == address)
    await second.close()
    await group.stop()
  }

  @Test func anAddressOfAnotherMachineIsRefused() async throws {
    let group = try EventLoopGroup.start(count: 1)
    let foreign = try #require(SocketAddress(host: "192.0.2.1", port: 0))
    #expect(throws: ReactorError.addressUnavailable(foreign)) { try Listener.bind(foreign, on: group) { _, _, _ in } }
    await group.stop()
  }

  @Test func everyLoopTakesConnectionsOnTheSamePort() async throws {
    let names = Locked<Set<String>>([])
    try await withListener(
      loops: 2,
      serve: { stream, loop in
        names.withLock { _ = $0.insert(loop.name) }
        await echo(stream, loop)
      }
    ) { listener, _ in
      try await blocking {
        for _ in 0..<64 {
          let client = try BlockingClient(listener.localAddress)
          try client.send("x")
          _ = try client.receive(exactly: 1)
        }
      }
      #expect(names.withLock { $0 }.count == 2)
    }
  }

  @Test func bothLoopbackAddressesMayShareAPort() async throws {
    let group = try EventLoopGroup.start(count: 2)
    let v4 = try Listener.bind(#require(SocketAddress(host: "127.0.0.1", port: 0)), on: group) { stream, _, loop in
      await echo(stream, loop)
    }
    let six = try #require(SocketAddress(host: "::1", port: v4.localAddress.port))
    let peer = Signal<SocketAddress>()
    let v6 = try Listener.bind(six, on: group) { stream, address, loop in
      peer.fulfil(address)
      await echo(stream, loop)
    }
    let answer = try await blocking {
      let client = try BlockingClient(six)
      try client.send("six")
      return try client.receiveText(exactly: 3)
    }
    #expect(answer == "six")
    #expect(await peer.value.host == "::1")
    await v4.close()
    await v6.close()
    await group.stop()
  }

  @Test func closeServesWhatWaitsInTheBacklog() async throws {
    let group = try EventLoopGroup.start(count: 1)
    let loop = try #require(group.loops.first)
    let listener = try Listener.bind(#require(SocketAddress(host: "127.0.0.1", port: 0)), on: group) { stream, _, loop in
      await echo(stream, loop)
    }
    let hold = DispatchGate()
    loop.execute { hold.wait() }
    let clients = try (0..<40).map { _ in try BlockingClient(listener.localAddress) }
    // Runs up to its first suspension here, so that the loop closes before it can accept a connection.
    let closing = Task.immediate { await listener.close() }
    hold.open()
    await closing.value
    for client in clients {
      let answer = try await blocking {
        try client.send("hi")
        return try client.receiveText(exactly: 2)
      }
      #expect(answer == "hi")
    }
    #expect(throws: ClientError(call: "connect", code: ECONNREFUSED)) { try BlockingClient(listener.localAddress) }
    await group.stop()
  }
}
