import CLinux
import Glibc

/// A listening descriptor that is closed when it is released.
struct ListeningSocket: ~Copyable {
  /// The non-blocking descriptor.
  private let fd: Int32

  /// Binds the socket without listening.
  ///
  /// - Parameter isShared: whether it joins sockets of this process that listen on the same port; such a bind cannot see that
  ///   a port is busy, so the first socket binds without it and calls ``share()`` afterwards.
  /// - Throws: ``ReactorError/addressInUse(_:)``, ``ReactorError/addressUnavailable(_:)``, ``ReactorError/system(call:code:)``.
  init(_ address: SocketAddress, isShared: Bool) throws(ReactorError) {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let fd = socket(address.family, type, 0)
    guard fd >= 0 else { throw .system(call: "socket", code: errno) }
    if address.unixPath != nil {
      // Creates the file with these bits, so that no other user can connect between bind and chmod.
      fchmod(fd, 0o600)
    } else {
      Self.enable(SO_REUSEADDR, SOL_SOCKET, fd)
    }
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

  /// Takes ownership of a descriptor that is already listening.
  ///
  /// - Throws: ``ReactorError/system(call:code:)`` if it is not a listening stream socket; it is then closed.
  init(adopting fd: Int32) throws(ReactorError) {
    guard Self.option(SO_TYPE, fd) == Int32(SOCK_STREAM.rawValue), Self.option(SO_ACCEPTCONN, fd) == 1 else {
      Glibc.close(fd)
      throw .system(call: "LISTEN_FDS", code: ENOTSOCK)
    }
    _ = fcntl(fd, F_SETFD, FD_CLOEXEC)
    _ = fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK)
    self.fd = fd
  }

  private init(duplicate fd: Int32) { self.fd = fd }

  deinit { Glibc.close(fd) }

  /// Duplicates the descriptor.
  func duplicate() throws(ReactorError) -> ListeningSocket {
    let copy = fcntl(fd, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw .system(call: "dup", code: errno) }
    return ListeningSocket(duplicate: copy)
  }

  /// Allows further sockets of this process to listen on the same port.
  func share() { Self.enable(SO_REUSEPORT, SOL_SOCKET, fd) }

  /// Starts listening.
  func listen(backlog: Int32, address: SocketAddress) throws(ReactorError) {
    guard Glibc.listen(fd, backlog) == 0 else { throw Self.error(errno, "listen", address) }
  }

  /// The bound address, with the port that the system chose.
  func localAddress() throws(ReactorError) -> SocketAddress {
    let (result, address) = SocketAddress.reading { getsockname(fd, $0, $1) }
    guard result == 0, let address else { throw .system(call: "getsockname", code: errno) }
    return address
  }

  /// Transfers ownership of the descriptor to the caller.
  consuming func release() -> Int32 {
    let fd = fd
    discard self
    return fd
  }

  private static func enable(_ option: Int32, _ level: Int32, _ fd: Int32) {
    var on: Int32 = 1
    setsockopt(fd, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  private static func option(_ option: Int32, _ fd: Int32) -> Int32? {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(fd, SOL_SOCKET, option, &value, &length) == 0 ? value : nil
  }

  private static func error(_ code: Int32, _ call: String, _ address: SocketAddress) -> ReactorError {
    switch code {
    case EADDRINUSE: .addressInUse(address)
    case EADDRNOTAVAIL, EACCES, EAFNOSUPPORT, ENOENT, ENOTDIR: .addressUnavailable(address)
    default: .system(call: call, code: code)
    }
  }
}
