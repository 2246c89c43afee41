import CLinux
import Glibc
import Reactor
import Support
import Testing

@Suite(.timeLimit(.minutes(1)))
struct UnixSocketTests {
  private func with(
    loops: Int = 1, mode: UInt32 = 0o600, _ body: (String, SocketAddress, EventLoopGroup, Listener.Options) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/s"
    let group = try EventLoopGroup.start(count: loops)
    var options = Listener.Options()
    options.mode = mode
    do {
      try await body(path, try #require(SocketAddress(unixPath: path)), group, options)
    } catch {
      await group.stop()
      throw error
    }
    await group.stop()
  }

  private func permissions(_ path: String) -> UInt32? {
    var info = stat()
    return lstat(path, &info) == 0 ? UInt32(info.st_mode) & 0o777 : nil
  }

  @Test(arguments: [(1, 0o600 as UInt32), (2, 0o666)]) func servesAndRemovesItsFile(loops: Int, mode: UInt32) async throws {
    try await with(loops: loops, mode: mode) { path, address, group, options in
      let peer = Signal<SocketAddress>()
      let listener = try Listener.bind(address, on: group, options: options) { stream, from, loop in
        peer.fulfil(from)
        await echo(stream, loop)
      }
      #expect(permissions(path) == mode)
      let answers = try await blocking {
        try (0..<20).map { _ in
          let client = try BlockingClient(address)
          try client.send("unix")
          return try client.receiveText(exactly: 4)
        }
      }
      #expect(answers == Array(repeating: "unix", count: 20))
      #expect(await peer.value.text == "unix:")
      #expect(listener.localAddress == address)
      await listener.close()
      #expect(permissions(path) == nil)
    }
  }

  @Test func aDeadSocketsFileIsReplacedAndALivingOneIsNot() async throws {
    try await with { path, address, group, options in
      try Self.leaveStale(path)
      let listener = try Listener.bind(address, on: group, options: options) { stream, _, loop in await echo(stream, loop) }
      #expect(throws: ReactorError.addressInUse(address)) {
        try Listener.bind(address, on: group, options: options) { _, _, _ in }
      }
      let answer = try await blocking {
        let client = try BlockingClient(address)
        try client.send("here")
        return try client.receiveText(exactly: 4)
      }
      #expect(answer == "here")
      await listener.close()
    }
  }

  @Test func aFileThatIsNoSocketStays() async throws {
    try await with { path, address, group, options in
      let fd = open(path, O_CREAT | O_WRONLY, 0o644)
      close(fd)
      #expect(throws: ReactorError.addressInUse(address)) {
        try Listener.bind(address, on: group, options: options) { _, _, _ in }
      }
      #expect(permissions(path) != nil)
    }
  }

  @Test func aFileThatTookTheSocketsPlaceStays() async throws {
    try await with { path, address, group, options in
      let listener = try Listener.bind(address, on: group, options: options) { _, _, _ in }
      unlink(path)
      close(open(path, O_CREAT | O_WRONLY, 0o644))
      await listener.close()
      #expect(permissions(path) != nil)
    }
  }

  @Test func aMissingFolderIsUnavailable() async throws {
    try await with { path, _, group, options in
      let address = try #require(SocketAddress(unixPath: "\(path)/none/s"))
      #expect(throws: ReactorError.addressUnavailable(address)) {
        try Listener.bind(address, on: group, options: options) { _, _, _ in }
      }
    }
  }

  @Test(arguments: [1, 2]) func aSocketOfSystemdIsAdopted(loops: Int) async throws {
    try await with(loops: loops) { path, address, group, _ in
      let fd = try Self.listening(path)
      let socket = InheritedSocket(descriptor: fd)
      #expect(socket.localAddress == address)
      let listener = try Listener.adopt(socket, on: group) { stream, _, loop in await echo(stream, loop) }
      #expect(fcntl(fd, F_GETFD) & FD_CLOEXEC != 0)
      let answer = try await blocking {
        let client = try BlockingClient(address)
        try client.send("adopted")
        return try client.receiveText(exactly: 7)
      }
      #expect(answer == "adopted")
      await listener.close()
      // The file belongs to systemd.
      #expect(permissions(path) != nil)
    }
  }

  @Test func whatDoesNotListenIsNotAdopted() async throws {
    try await with { _, _, group, _ in
      let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      #expect(throws: ReactorError.system(call: "LISTEN_FDS", code: ENOTSOCK)) {
        try Listener.adopt(InheritedSocket(descriptor: fd), on: group) { _, _, _ in }
      }
    }
  }

  @Test func announcedSocketsAreForThisProcessOnly() {
    func descriptors(_ variables: [String: String]) -> [Int32] {
      InheritedSocket.announced(variables, process: 7).map(\.descriptor)
    }
    #expect(descriptors(["LISTEN_PID": "7", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "a:b"]) == [3, 4])
    #expect(descriptors(["LISTEN_PID": "7", "LISTEN_FDS": "1"]) == [3])
    for (pid, count) in [
      ("8", "1"), ("", "1"), ("7", ""), ("7", "0"), ("7", "-1"), ("7", "+1"), ("7", "01"), ("7", "65"),
      ("7", "99999999999999999999"),
    ] {
      #expect(descriptors(["LISTEN_PID": pid, "LISTEN_FDS": count]).isEmpty)
    }
    #expect(descriptors(["LISTEN_FDS": "1"]).isEmpty)
  }

  private static func leaveStale(_ path: String) throws { close(try listening(path)) }

  private static func listening(_ path: String) throws -> Int32 {
    let fd = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var target = sockaddr_un()
    target.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: path.utf8) }
    let bound = withUnsafePointer(to: target) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(fd, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
    guard bound == 0, listen(fd, 8) == 0 else { throw ClientError(call: "bind", code: errno) }
    return fd
  }
}
