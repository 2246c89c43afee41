import Reactor

/// The listeners to open, validated before any is opened.
struct ListeningPlan {
  private let addresses: [SocketAddress]
  private let unixSockets: [(address: SocketAddress, mode: UInt32)]
  private let inherited: [InheritedSocket]
  private let tls: TLSContext?

  /// Throws `invalidAddress` for a host that is not numeric or a path that is too long.
  init(_ configuration: HTTPServer.Configuration) throws(ServerError) {
    var addresses: [SocketAddress] = []
    for (host, port) in configuration.addresses {
      guard let address = SocketAddress(host: host, port: port) else { throw .invalidAddress(host) }
      addresses.append(address)
    }
    var unixSockets: [(SocketAddress, UInt32)] = []
    for (path, mode) in configuration.unixSockets {
      guard let address = SocketAddress(unixPath: path) else { throw .invalidAddress(path) }
      unixSockets.append((address, mode))
    }
    self.addresses = addresses
    self.unixSockets = unixSockets
    inherited = configuration.inheritedSockets
    tls = configuration.tls
  }

  /// Opens every listener, or none.
  func open(
    on group: EventLoopGroup, admission: ConnectionAdmission, handler: @escaping Listener.Handler
  ) async throws(ReactorError) -> [Listener] {
    var listeners: [Listener] = []
    do throws(ReactorError) {
      try open(on: group, admission, handler, into: &listeners)
      return listeners
    } catch {
      for listener in listeners { await listener.close() }
      throw error
    }
  }

  private func open(
    on group: EventLoopGroup, _ admission: ConnectionAdmission, _ handler: @escaping Listener.Handler,
    into listeners: inout [Listener]
  ) throws(ReactorError) {
    var options = Listener.Options()
    (options.tls, options.admission) = (tls, admission)
    for address in addresses {
      let port = address.port == 0 ? listeners.first?.localAddress.port ?? 0 : address.port
      listeners.append(try Listener.bind(address.with(port: port), on: group, options: options, onConnection: handler))
    }
    for socket in inherited {
      listeners.append(try Listener.adopt(socket, on: group, options: options, onConnection: handler))
    }
    // Clients of a Unix socket are on this machine, so their bytes never leave it.
    options.tls = nil
    for (address, mode) in unixSockets {
      options.mode = mode
      listeners.append(try Listener.bind(address, on: group, options: options, onConnection: handler))
    }
  }
}
