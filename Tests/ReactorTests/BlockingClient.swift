import CLinux
import Dispatch
import Glibc
import Reactor

/// Why a blocking call failed.
struct ClientError: Error, Equatable {
  let call: String
  let code: Int32
}

/// Runs blocking calls outside Swift's thread pool.
func blocking<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue(label: "blocking client").async { continuation.resume(with: Result { try body() }) }
  }
}

/// A TCP client on a blocking socket; calls time out after twenty seconds.
final class BlockingClient: Sendable {
  let fd: Int32

  init(_ address: SocketAddress) throws {
    let family = address.unixPath != nil ? AF_UNIX : address.isIPv6 ? AF_INET6 : AF_INET
    fd = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard fd >= 0 else { throw ClientError(call: "socket", code: errno) }
    var limit = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let connected: Int32
    if let path = address.unixPath {
      var target = sockaddr_un()
      target.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: path.utf8) }
      connected = withUnsafePointer(to: target) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(fd, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
      }
    } else if address.isIPv6 {
      var target = sockaddr_in6()
      target.sin6_family = sa_family_t(AF_INET6)
      target.sin6_port = address.port.bigEndian
      inet_pton(AF_INET6, address.host, &target.sin6_addr)
      connected = withUnsafePointer(to: target) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(fd, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) }
      }
    } else {
      var target = sockaddr_in()
      target.sin_family = sa_family_t(AF_INET)
      target.sin_port = address.port.bigEndian
      inet_pton(AF_INET, address.host, &target.sin_addr)
      connected = withUnsafePointer(to: target) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(fd, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
      }
    }
    guard connected == 0 else { throw ClientError(call: "connect", code: errno) }
  }

  deinit { Glibc.close(fd) }

  func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(fd, $0.baseAddress?.advanced(by: sent), $0.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count >= 0 else { throw ClientError(call: "send", code: errno) }
      sent += count
    }
  }

  func send(_ text: String) throws { try send(Array(text.utf8)) }

  /// At most `count` bytes of one `recv`; empty at the end.
  func receive(atMost count: Int = 65536) throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: count)
    let got = recv(fd, &buffer, count, 0)
    guard got >= 0 else { throw ClientError(call: "recv", code: errno) }
    return Array(buffer.prefix(got))
  }

  /// Exactly `count` bytes; fewer only at the end.
  func receive(exactly count: Int) throws -> [UInt8] {
    var all: [UInt8] = []
    while all.count < count {
      let more = try receive(atMost: min(65536, count - all.count))
      if more.isEmpty { break }
      all += more
    }
    return all
  }

  func receiveText(exactly count: Int) throws -> String { String(decoding: try receive(exactly: count), as: UTF8.self) }

  /// Everything up to the end.
  func receiveToEnd() throws -> [UInt8] {
    var all: [UInt8] = []
    while true {
      let more = try receive()
      if more.isEmpty { return all }
      all += more
    }
  }

  func shutdownWrite() { shutdown(fd, Int32(SHUT_WR)) }

  /// Makes closing the descriptor send a reset.
  func resetOnClose() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  /// Resets the connection at once; the descriptor is closed with the client.
  func reset() throws {
    resetOnClose()
    let null = open("/dev/null", O_RDWR)
    dup2(null, fd)
    Glibc.close(null)
  }
}
