import Foundation
import Support
import Testing

/// A console that is started with a listening socket, as systemd does.
@Suite(.timeLimit(.minutes(2))) struct SocketActivationTests {
  /// A listening socket on a free port of 127.0.0.1.
  static func listen() throws -> (descriptor: Int32, port: UInt16) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) | Foundation.listen(descriptor, 8) | getsockname(descriptor, $0, &length)
      }
    }
    try #require(descriptor >= 0 && result == 0)
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  @Test func whoConnectedBeforeTheStartIsServed() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      let (listener, port) = try Self.listen()
      defer { close(listener) }
      // It waits in the backlog of a socket that nobody accepts from yet.
      let early = try LoopbackCall(port: port, method: "GET", target: "/healthz")
      let console = try ConsoleProcess(data: folder.path, listener: listener)
      #expect(console.readyLine == "understudy ready http://localhost:\(port) backend=embedded")
      #expect(try early.answer().status == 200)
      #expect(try LoopbackCall(port: port, method: "GET", target: "/healthz").answer().status == 200)
      #expect(console.end(by: SIGTERM) == 0)
      // The socket belongs to its creator: it queues connections for the next start.
      let next = try LoopbackCall(port: port, method: "GET", target: "/healthz")
      let second = try ConsoleProcess(data: folder.path, listener: listener)
      #expect(try next.answer().status == 200)
      #expect(second.end(by: SIGTERM) == 0)
    }
  }

  @Test func aDescriptorThatIsNoListeningSocketIsAClearFailure() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      let file = open("/dev/null", O_RDONLY)
      defer { close(file) }
      do {
        _ = try ConsoleProcess(data: folder.path, listener: file)
        Issue.record("it started")
      } catch ConsoleProcess.Failure.ended(let status, let error) {
        #expect(status == 66 && error.contains("LISTEN_FDS") && error.split(separator: "\n").count == 1, "\(error)")
      }
    }
  }
}
