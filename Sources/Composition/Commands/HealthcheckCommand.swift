import ArgumentParser
import CLinux
import COpenSSL
import Foundation
import Reactor

/// `understudy healthcheck`: checks the console on this machine; for containers.
struct HealthcheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "healthcheck", abstract: "Exit with 0 if the console on this machine is healthy.")

  @Option(help: "Port of the console.", read: .port) var port = ServeCommand.usualPort

  /// Probes once, in plain text and then over TLS; exits with 69 without a 200.
  func run() throws {
    guard HealthProbe(port: port).isHealthy() else { throw StartFailure.unavailable("no healthy console on port \(port)") }
  }
}

/// Checks whether a console on this machine is healthy.
///
/// Uses its own blocking sockets: the HTTP client supports only HTTPS and verifies its peer, and this probe needs neither.
struct HealthProbe {
  /// The console's port on 127.0.0.1.
  let port: UInt16

  private static let expectedStatusLine = "HTTP/1.1 200"

  /// Whether `GET /healthz` over loopback returns 200, in plain text or else over TLS; at most 5 s for each read or write.
  ///
  /// A console with a certificate closes a plain connection at once and silently. The certificate is not verified: it names the
  /// console's public host, nothing secret is sent, and anyone who can listen on this machine's port could respond to a plain
  /// request as well.
  ///
  /// - Parameter ofOwnUser: Whether the console must also run as the user of this process; false if the system cannot tell.
  func isHealthy(ofOwnUser: Bool = false) -> Bool {
    isHealthy(overTLS: false, ofOwnUser) || isHealthy(overTLS: true, ofOwnUser)
  }

  private func isHealthy(overTLS: Bool, _ ofOwnUser: Bool) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    guard connect(descriptor) else { return false }
    // The connection stays open while its user is looked up: the system does not know whose a closed one was.
    let request = Array("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n".utf8)
    return (overTLS ? Self.probeTLS(descriptor, request) : Self.probePlain(descriptor, request))
      && (!ofOwnUser || user(descriptor) == PeerUser.ownUser)
  }

  /// The user of the process at the other end; nil if unknown.
  private func user(_ descriptor: Int32) -> UInt32? {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isRead = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) == 0 }
    }
    guard isRead, let own = SocketAddress(host: "127.0.0.1", port: UInt16(bigEndian: address.sin_port)),
      let peer = SocketAddress(host: "127.0.0.1", port: port)
    else { return nil }
    return PeerUser.user(local: own, peer: peer)
  }

  private func connect(_ descriptor: Int32) -> Bool {
    var limit = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  private static func probePlain(_ descriptor: Int32, _ request: [UInt8]) -> Bool {
    guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else { return false }
    return isSuccess { recv(descriptor, $0.baseAddress, $0.count, 0) }
  }

  private static func probeTLS(_ descriptor: Int32, _ request: [UInt8]) -> Bool {
    // OpenSSL writes without MSG_NOSIGNAL, and a closed connection is a valid result.
    signal(SIGPIPE, SIG_IGN)
    guard let context = SSL_CTX_new(TLS_client_method()) else { return false }
    defer { SSL_CTX_free(context) }
    guard let ssl = SSL_new(context) else { return false }
    defer { SSL_free(ssl) }
    guard SSL_set_fd(ssl, descriptor) == 1, SSL_connect(ssl) == 1 else { return false }
    guard SSL_write(ssl, request, Int32(request.count)) == Int32(request.count) else { return false }
    return isSuccess { Int(SSL_read(ssl, $0.baseAddress, Int32($0.count))) }
  }

  /// Whether the response starts with the expected status line.
  private static func isSuccess(_ read: (UnsafeMutableRawBufferPointer) -> Int) -> Bool {
    var answer = [UInt8](repeating: 0, count: expectedStatusLine.utf8.count)
    var count = 0
    while count < answer.count {
      let more = answer.withUnsafeMutableBytes { read(UnsafeMutableRawBufferPointer(rebasing: $0[count...])) }
      guard more > 0 else { return false }
      count += more
    }
    return answer.elementsEqual(expectedStatusLine.utf8)
  }
}
