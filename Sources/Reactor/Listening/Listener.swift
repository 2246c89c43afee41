import CLinux
import Glibc

/// Accepts connections on one address, with one listening socket for each event loop.
package final class Listener: Sendable {
  /// Serves a connection: receives the stream, the peer's address and the event loop on which all of it runs.
  package typealias Handler = @Sendable (any ByteStream, SocketAddress, EventLoop) async -> Void

  /// The settings of a listener.
  package struct Options: Sendable {
    /// Encrypts connections; the handler is called after the handshake.
    package var tls: TLSContext?
    /// How long a TLS handshake may take.
    package var handshakeTime = Duration.seconds(10)
    /// The most connections that wait in the kernel to be accepted.
    package var backlog: Int32 = 1024
    /// The permission bits of a Unix socket's file.
    package var mode: UInt32 = 0o600
    /// Called before anything else for each connection; a rejected connection is closed without a response.
    package var admission: ConnectionAdmission?

    package init() {}
  }

  /// The bound address, with the port that the system chose for port 0.
  package let localAddress: SocketAddress

  private let acceptors: [Acceptor]
  private let file: UnixSocketFile?

  private init(localAddress: SocketAddress, acceptors: [Acceptor], file: UnixSocketFile? = nil) {
    self.localAddress = localAddress
    self.acceptors = acceptors
    self.file = file
    for acceptor in acceptors { acceptor.start() }
  }

  /// Listens on `address` with every loop of the group.
  ///
  /// Replaces the file of a Unix socket if no process listens on it; removes the file when the listener closes.
  ///
  /// - Parameter onConnection: runs as one task a connection on the loop that accepted it; the stream is closed when it returns.
  /// - Throws: ``ReactorError/addressInUse(_:)``, also when the other listener shares its port;
  ///   ``ReactorError/addressUnavailable(_:)``, ``ReactorError/system(call:code:)``.
  package static func bind(
    _ address: SocketAddress, on group: EventLoopGroup, options: Options = Options(), onConnection: @escaping Handler
  ) throws(ReactorError) -> Listener {
    if let path = address.unixPath { return try bind(path: path, address, group, options, onConnection) }
    let first = try ListeningSocket(address, isShared: false)
    let local = try first.localAddress()
    let service = Acceptor.Service(options: options, onConnection: onConnection)
    var acceptors: [Acceptor] = []
    if group.loops.count > 1 {
      first.share()
      for loop in group.loops.dropFirst() {
        let socket = try ListeningSocket(local, isShared: true)
        try socket.listen(backlog: options.backlog, address: local)
        acceptors.append(Acceptor(socket: socket, loop: loop, service: service))
      }
    }
    try first.listen(backlog: options.backlog, address: local)
    if let loop = group.loops.first {
      acceptors.append(Acceptor(socket: first, loop: loop, service: service))
    }
    return Listener(localAddress: local, acceptors: acceptors)
  }

  private static func bind(
    path: String, _ address: SocketAddress, _ group: EventLoopGroup, _ options: Options, _ onConnection: @escaping Handler
  ) throws(ReactorError) -> Listener {
    try UnixSocketFile.removeStale(address)
    let socket = try ListeningSocket(address, isShared: false)
    guard let file = UnixSocketFile(path: path, mode: options.mode) else {
      throw .system(call: "chmod", code: errno)
    }
    do throws(ReactorError) {
      try socket.listen(backlog: options.backlog, address: address)
      return Listener(
        localAddress: address, acceptors: try acceptors(socket, group, .init(options: options, onConnection: onConnection)),
        file: file)
    } catch {
      file.remove()
      throw error
    }
  }

  /// Accepts connections on a socket that another process, usually systemd, has bound and listens on.
  ///
  /// - Throws: ``ReactorError/system(call:code:)`` if it is not a listening stream socket.
  package static func adopt(
    _ inherited: InheritedSocket, on group: EventLoopGroup, options: Options = Options(),
    onConnection: @escaping Handler
  ) throws(ReactorError) -> Listener {
    let socket = try ListeningSocket(adopting: inherited.descriptor)
    let local = try socket.localAddress()
    return Listener(
      localAddress: local, acceptors: try acceptors(socket, group, .init(options: options, onConnection: onConnection)))
  }

  /// All loops accept from the same socket, because inherited sockets cannot share an address.
  private static func acceptors(
    _ socket: consuming ListeningSocket, _ group: EventLoopGroup, _ service: Acceptor.Service
  ) throws(ReactorError) -> [Acceptor] {
    var acceptors: [Acceptor] = []
    for loop in group.loops.dropFirst() {
      acceptors.append(Acceptor(socket: try socket.duplicate(), loop: loop, service: service))
    }
    if let loop = group.loops.first { acceptors.append(Acceptor(socket: socket, loop: loop, service: service)) }
    return acceptors
  }

  /// Accepts the connections that wait in the backlog, then stops listening. Accepted connections continue.
  package func close() async {
    // First, so that no client finds the file of a socket on which no process listens.
    file?.remove()
    for acceptor in acceptors { await acceptor.close() }
  }
}

/// Decides whether a connection is accepted, before any resources are spent on it.
package struct ConnectionAdmission: Sendable {
  /// Called on the event loop for each connection; if it returns true, ``leave`` is called when the connection ends.
  package var enter: @Sendable (SocketAddress) -> Bool
  /// Called when an admitted connection has ended.
  package var leave: @Sendable (SocketAddress) -> Void

  package init(enter: @escaping @Sendable (SocketAddress) -> Bool, leave: @escaping @Sendable (SocketAddress) -> Void) {
    self.enter = enter
    self.leave = leave
  }
}

/// The file of a Unix socket bound by this process.
struct UnixSocketFile: Sendable {
  private let path: String
  private let device: UInt
  private let inode: UInt

  /// Sets the permission bits of the new file and remembers its identity; nil, with `errno` set, if that fails.
  init?(path: String, mode: UInt32) {
    var info = stat()
    guard chmod(path, mode_t(mode)) == 0, lstat(path, &info) == 0 else { return nil }
    self.path = path
    device = UInt(info.st_dev)
    inode = UInt(info.st_ino)
  }

  /// Removes the file, unless it was replaced.
  func remove() {
    var info = stat()
    guard lstat(path, &info) == 0, UInt(info.st_dev) == device, UInt(info.st_ino) == inode else { return }
    unlink(path)
  }

  /// Removes the file of a socket on which no process listens, as after a kill; keeps any other file.
  ///
  /// - Throws: ``ReactorError/addressInUse(_:)`` if a process listens, or if the file is not a socket.
  static func removeStale(_ address: SocketAddress) throws(ReactorError) {
    guard let path = address.unixPath else { return }
    var info = stat()
    guard lstat(path, &info) == 0 else { return }
    guard info.st_mode & S_IFMT == S_IFSOCK else { throw .addressInUse(address) }
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let fd = socket(AF_UNIX, type, 0)
    guard fd >= 0 else { throw .system(call: "socket", code: errno) }
    defer { Glibc.close(fd) }
    let code = address.withSockaddr { connect(fd, $0, $1) == 0 ? 0 : errno }
    // EAGAIN means that the backlog is full, so a process listens.
    guard code == ECONNREFUSED else { throw .addressInUse(address) }
    unlink(path)
  }
}
