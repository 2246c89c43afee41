import Glibc
import HTTPTypes
import Logging
import Reactor
import Server
import Support
import Testing

@Suite(.timeLimit(.minutes(1))) struct ListeningTests {
  private static func ask(_ address: SocketAddress) async throws -> String {
    try await OwnThread.run {
      let fd = socket(address.unixPath != nil ? AF_UNIX : AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(fd) }
      var storage = sockaddr_storage()
      let length: Int
      if let path = address.unixPath {
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: path.utf8) }
        length = MemoryLayout<sockaddr_un>.size
        withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: target, as: sockaddr_un.self) }
      } else {
        var target = sockaddr_in6()
        target.sin6_family = sa_family_t(AF_INET6)
        target.sin6_port = address.port.bigEndian
        target.sin6_addr = in6addr_loopback
        length = MemoryLayout<sockaddr_in6>.size
        withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: target, as: sockaddr_in6.self) }
      }
      let connected = withUnsafePointer(to: &storage) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(fd, $0, socklen_t(length)) }
      }
      guard connected == 0 else { return "" }
      let request = Array("GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8)
      send(fd, request, request.count, Int32(MSG_NOSIGNAL))
      var all: [UInt8] = []
      var chunk = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = recv(fd, &chunk, chunk.count, 0)
        guard count > 0 else { return String(decoding: all, as: UTF8.self) }
        all += chunk[..<count]
      }
    }
  }

  @Test func unixSocketsAndIPv6AreServedBesideEachOther() async throws {
    let folder = try TemporaryFolder()
    var configuration = HTTPServer.Configuration(addresses: [("127.0.0.1", 0), ("::1", 0)])
    configuration.unixSockets = [(folder.file("s"), 0o600)]
    configuration.loops = 2
    let server = HTTPServer(configuration: configuration, logger: Logger(label: "test")) { request in
      .text("\(request.peer.host) \(request.isTLS)")
    }
    let addresses = try await server.start()
    #expect(addresses.count == 3 && addresses[0].port == addresses[1].port)
    let v6 = try await Self.ask(addresses[1])
    let unix = try await Self.ask(addresses[2])
    #expect(v6.hasPrefix("HTTP/1.1 200 ") && v6.hasSuffix("::1 false"))
    #expect(unix.hasPrefix("HTTP/1.1 200 ") && unix.hasSuffix("unix false"))
    await server.stop(within: .seconds(1))
    let gone = try await Self.ask(addresses[2])
    #expect(gone.isEmpty && access(folder.file("s"), F_OK) != 0)
  }

  @Test func aPathThatIsTooLongFailsBeforeAnythingIsOpened() async {
    let path = "/" + String(repeating: "a", count: 200)
    var configuration = HTTPServer.Configuration(addresses: [])
    configuration.unixSockets = [(path, 0o600)]
    let server = HTTPServer(configuration: configuration, logger: Logger(label: "test"), respond: echo)
    await #expect(throws: ServerError.invalidAddress(path)) { try await server.start() }
  }

  @Test func whatWasOpenedIsClosedWhenTheNextFails() async throws {
    let folder = try TemporaryFolder()
    var configuration = HTTPServer.Configuration(addresses: [])
    configuration.unixSockets = [(folder.file("s"), 0o600), (folder.file("none/s"), 0o600)]
    let server = HTTPServer(configuration: configuration, logger: Logger(label: "test"), respond: echo)
    await #expect(throws: ServerError.self) { try await server.start() }
    #expect(access(folder.file("s"), F_OK) != 0)
  }
}
