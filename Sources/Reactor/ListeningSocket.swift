import CLinux
import Glibc

/// A listening TCP descriptor that closes itself.
struct ListeningSocket: ~Copyable {
  /// The descriptor, non-blocking.
  let fd: Int32

  /// Binds without listening yet.
  ///
  /// - Parameter isShared: whether it joins sockets of this process that listen on the same port; such a bind cannot see that
  ///   a port is busy, so the first socket binds without it and calls ``share()`` afterwards.
  /// - Throws: ``ReactorError/addressInUse(_:)``, ``ReactorError/addressUnavailable(_:)``, ``ReactorError/system(call:code:)``.
  init(_ address: SocketAddress, isShared: Bool) throws(ReactorError) {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let fd = socket(address.family, type, 0)
    guard fd >= 0 else { throw .system(call: "socket", code: errno) }
    Self.enable(SO_REUSEADDR, SOL_SOCKET, fd)
    if isShared { Self.enable(SO_REUSEPORT, SOL_SOCKET, fd) }
    // 127.0.0.1 and ::1, 0.0.0.0 and :: are separate listeners.
    if address.isIPv6 { Self.enable(IPV6_V6ONLY, Int32(IPPROTO_IPV6), fd) }
    let code = address.withSockaddr { Glibc.bind(fd, $0, $1) == 0 ? 0 : errno }
    guard code == 0 else {
      Glibc.close(fd)
      throw Self.error(code, "bind", address)
    }
    self.fd = fd
  }

  deinit { Glibc.close(fd) }

  /// Lets further sockets of this process listen on the same port.
  func share() { Self.enable(SO_REUSEPORT, SOL_SOCKET, fd) }

  /// Begins to take connections.
  func listen(backlog: Int32, address: SocketAddress) throws(ReactorError) {
    guard Glibc.listen(fd, backlog) == 0 else { throw Self.error(errno, "listen", address) }
  }

  /// The bound address, with the port that the system chose.
  func localAddress() throws(ReactorError) -> SocketAddress {
    let (result, address) = SocketAddress.reading { getsockname(fd, $0, $1) }
    guard result == 0, let address else { throw .system(call: "getsockname", code: errno) }
    return address
  }

  /// Hands the descriptor over; it is then the caller's to close.
  consuming func release() -> Int32 {
    let fd = fd
    discard self
    return fd
  }

  private static func enable(_ option: Int32, _ level: Int32, _ fd: Int32) {
    var on: Int32 = 1
    setsockopt(fd, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  private static func error(_ code: Int32, _ call: String, _ address: SocketAddress) -> ReactorError {
    switch code {
    case EADDRINUSE: .addressInUse(address)
    case EADDRNOTAVAIL, EACCES, EAFNOSUPPORT: .addressUnavailable(address)
    default: .system(call: call, code: code)
    }
  }
}
