import CLinux
import Glibc
import Support
import Testing

@testable import Reactor

@Suite(.timeLimit(.minutes(1))) struct PeerUserTests {
  /// The ways of looking up users that this machine supports.
  static func sources() throws -> [PeerUser.Source] { [.netlink(try #require(SocketDiagnostics())), .procfs] }

  @Test func bothWaysNameThisProcess() throws {
    #expect(PeerUser.isAvailable)
    for source in try Self.sources() { #expect(PeerUser.isReliable(source), "\(source)") }
  }

  @Test(arguments: ["127.0.0.1", "::1"]) func aStreamKnowsWhoIsAtTheOtherEnd(host: String) async throws {
    let users = Record<UInt32?>()
    let served = Signal<Void>()
    try await withListener(
      host: host,
      serve: { stream, loop in
        for _ in 1...2 { users.append(stream.peerUser) }
        served.fulfil()
        await echo(stream, loop)
      }
    ) { listener, _ in
      try await blocking {
        let client = try BlockingClient(listener.localAddress)
        try client.send("who")
        _ = try client.receiveText(exactly: 3)
      }
      await served.value
    }
    #expect(users.values == [geteuid(), geteuid()])
  }

  @Test func aUnixSocketKnowsToo() async throws {
    let folder = try TemporaryFolder()
    let address = try #require(SocketAddress(unixPath: "\(folder.path)/s"))
    let group = try EventLoopGroup.start(count: 1)
    let user = Signal<UInt32?>()
    let listener = try Listener.bind(address, on: group, options: .init()) { stream, _, loop in
      user.fulfil(stream.peerUser)
      await echo(stream, loop)
    }
    try await blocking {
      let client = try BlockingClient(address)
      try client.send("who")
      _ = try client.receiveText(exactly: 3)
    }
    #expect(await user.value == geteuid())
    await listener.close()
    await group.stop()
  }

  /// A connected pair of sockets of this process.
  private func withPair(_ body: (_ client: Int32, _ local: SocketAddress, _ peer: SocketAddress) throws -> Void) throws {
    let address = try #require(SocketAddress(host: "127.0.0.1", port: 0))
    let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    try #require(address.withSockaddr { bind(listening, $0, $1) } == 0 && listen(listening, 1) == 0)
    let local = try #require(SocketAddress.reading { getsockname(listening, $0, $1) }.1)
    try #require(local.withSockaddr { connect(client, $0, $1) } == 0)
    let peer = try #require(SocketAddress.reading { getsockname(client, $0, $1) }.1)
    let accepted = accept(listening, nil, nil)
    try body(client, local, peer)
    for descriptor in [listening, accepted] { close(descriptor) }
  }

  @Test func aSocketThatItsProcessClosedIsNobodys() throws {
    try withPair { client, local, peer in
      for source in try Self.sources() { #expect(PeerUser.user(local: local, peer: peer, from: source) == geteuid()) }
      shutdown(client, Int32(SHUT_WR))
      for source in try Self.sources() {
        #expect(PeerUser.user(local: local, peer: peer, from: source) == geteuid(), "it still reads")
      }
      close(client)
      for source in try Self.sources() { #expect(PeerUser.user(local: local, peer: peer, from: source) == nil, "\(source)") }
      for source in try Self.sources() { #expect(PeerUser.user(local: local, peer: peer.with(port: 1), from: source) == nil) }
    }
  }

  @Test func aTableIsReadAsTheKernelWritesIt() throws {
    let table = """
        sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
         0: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1234        0 777 1 0000000000000000 20 4 30 10 -1
         1: 0100007F:C350 0100007F:1F90 06 00000000:00000000 03:00001773 00000000     0        0 0 3 0000000000000000
        11: 0100007F:C351 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 12345 1 0000000000000000 20 4 30 10 -1
      """
    let client = SocketTable.hexEncoded([127, 0, 0, 1], 50_001)
    let server = SocketTable.hexEncoded([127, 0, 0, 1], 8080)
    #expect(String(decoding: client, as: UTF8.self) == "0100007F:C351")
    #expect(SocketTable.owner(in: Array(table.utf8), client, server) == PeerUser.Owner(user: 1000, inode: 12345, state: 1))
    let gone = SocketTable.hexEncoded([127, 0, 0, 1], 50_000)
    #expect(SocketTable.owner(in: Array(table.utf8), gone, server) == PeerUser.Owner(user: 0, inode: 0, state: 6))
    #expect(SocketTable.owner(in: Array(table.utf8), server, client) == nil)
    #expect(SocketTable.owner(in: Array("1: a b 01\n2: 0100007F:C351 0100007F:1F90 01 x x x -1 0 z".utf8), client, server) == nil)
    let loopback6 = [UInt8](repeating: 0, count: 15) + [1]
    #expect(String(decoding: SocketTable.hexEncoded(loopback6, 1), as: UTF8.self) == "00000000000000000000000001000000:0001")
  }

  @Test func aMappedAddressIsItsIPv4Address() throws {
    let mapped = try #require(SocketAddress(host: "::ffff:127.0.0.1", port: 5))
    #expect(mapped.unmapped == SocketAddress(host: "127.0.0.1", port: 5) && mapped.unmapped.bytes == [127, 0, 0, 1])
    let other = try #require(SocketAddress(host: "::1", port: 5))
    #expect(other.unmapped == other && other.bytes == [UInt8](repeating: 0, count: 15) + [1])
  }
}
