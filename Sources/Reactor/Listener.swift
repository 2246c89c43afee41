/// Takes connections on one address, with one listening socket per loop.
package final class Listener: Sendable {
  /// What serves a connection: the stream, the peer's address and the loop on which all of it runs.
  package typealias Handler = @Sendable (any ByteStream, SocketAddress, EventLoop) async -> Void

  /// The bound address, with the port that the system chose for port 0.
  package let localAddress: SocketAddress

  private let acceptors: [Acceptor]

  private init(localAddress: SocketAddress, acceptors: [Acceptor]) {
    self.localAddress = localAddress
    self.acceptors = acceptors
  }

  /// Listens on `address` with every loop of the group.
  ///
  /// - Parameters:
  ///   - tls: when given, `onConnection` sees a connection only after its handshake.
  ///   - handshakeTime: how long a client may take for the handshake.
  ///   - onConnection: runs as one task a connection on the loop that accepted it; the stream is closed when it returns.
  /// - Throws: ``ReactorError/addressInUse(_:)``, also when the other listener shares its port;
  ///   ``ReactorError/addressUnavailable(_:)``, ``ReactorError/system(call:code:)``.
  package static func bind(
    _ address: SocketAddress, on group: EventLoopGroup, tls: TLSContext? = nil, handshakeTime: Duration = .seconds(10),
    backlog: Int32 = 1024, onConnection: @escaping Handler
  ) throws(ReactorError) -> Listener {
    let first = try ListeningSocket(address, isShared: false)
    let local = try first.localAddress()
    let service = Acceptor.Service(tls: tls, handshakeTime: handshakeTime, onConnection: onConnection)
    var acceptors: [Acceptor] = []
    if group.loops.count > 1 {
      first.share()
      for loop in group.loops.dropFirst() {
        let socket = try ListeningSocket(local, isShared: true)
        try socket.listen(backlog: backlog, address: local)
        acceptors.append(Acceptor(socket: socket, loop: loop, service: service))
      }
    }
    try first.listen(backlog: backlog, address: local)
    if let loop = group.loops.first {
      acceptors.append(Acceptor(socket: first, loop: loop, service: service))
    }
    for acceptor in acceptors { acceptor.start() }
    return Listener(localAddress: local, acceptors: acceptors)
  }

  /// Hands out the connections that wait in the backlog, then stops listening; connections already handed out go on.
  package func close() async {
    for acceptor in acceptors { await acceptor.close() }
  }
}
