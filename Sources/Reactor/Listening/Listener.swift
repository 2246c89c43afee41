import Glibc

/// Takes connections on one address, with one listening socket per loop.
package final class Listener: Sendable {
  /// What serves a connection: the stream, the peer's address and the loop on which all of it runs.
  package typealias Handler = @Sendable (any ByteStream, SocketAddress, EventLoop) async -> Void

  /// How connections are treated.
  package struct Options: Sendable {
    /// When given, the handler sees a connection only after its handshake.
    package var tls: TLSContext?
    /// How long a client may take for the handshake.
    package var handshakeTime = Duration.seconds(10)
    /// Connections that the kernel keeps until they are accepted.
    package var backlog: Int32 = 1024
    /// Who may connect to a Unix socket: the permission bits of its file.
    package var mode: UInt32 = 0o600
    /// Asked before anything is done for a connection; one that is not let in is closed without a word.
    package var admission: Admission?

    /// Plain connections, and all of them.
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
  /// The file of a Unix socket that nobody answers at is replaced; it is removed when the listener closes.
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

  /// Takes connections of a socket that another process, as a rule systemd, bound and listens on.
  ///
  /// - Throws: ``ReactorError/system(call:code:)`` where it is no listening stream socket.
  package static func adopt(
    _ inherited: InheritedSocket, on group: EventLoopGroup, options: Options = Options(),
    onConnection: @escaping Handler
  ) throws(ReactorError) -> Listener {
    let socket = try ListeningSocket(adopting: inherited.descriptor)
    let local = try socket.localAddress()
    return Listener(
      localAddress: local, acceptors: try acceptors(socket, group, .init(options: options, onConnection: onConnection)))
  }

  /// Every loop accepts from the one socket: such sockets cannot share an address.
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

  /// Hands out the connections that wait in the backlog, then stops listening; connections already handed out go on.
  package func close() async {
    // First, so that nobody finds a file at which no one listens.
    file?.remove()
    for acceptor in acceptors { await acceptor.close() }
  }
}

/// Decides, before anything is spent on a connection, whether it is let in.
package struct Admission: Sendable {
  /// Called on the loop for each accepted connection; where it is true, ``leave`` follows once that connection has ended.
  package var enter: @Sendable (SocketAddress) -> Bool
  /// Called when a connection that was let in has ended.
  package var leave: @Sendable (SocketAddress) -> Void

  /// Made of both.
  package init(enter: @escaping @Sendable (SocketAddress) -> Bool, leave: @escaping @Sendable (SocketAddress) -> Void) {
    (self.enter, self.leave) = (enter, leave)
  }
}
