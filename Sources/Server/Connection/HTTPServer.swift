package import HTTPTypes
import Locking
package import Logging
package import Reactor
package import Wire

/// An HTTP/1.1 server on its own event loops. It has no routes: one closure responds to every request.
package final class HTTPServer: Sendable {
  /// The settings of a server.
  package struct Configuration: Sendable {
    /// Numeric addresses with ports. The system chooses one port for port 0, and all addresses with port 0 share it.
    package var addresses: [(host: String, port: UInt16)]
    /// Unix sockets: the path and the permission bits of the file.
    package var unixSockets: [(path: String, mode: UInt32)] = []
    /// Sockets that systemd opened for this process.
    package var inheritedSockets: [InheritedSocket] = []
    /// The number of event loops, each with a thread.
    package var loops = 1
    /// Encrypts all addresses except Unix sockets.
    package var tls: TLSContext?
    /// The limits of connections and requests.
    package var limits = ServerLimits()
    /// Returns prepared responses, which need no handler; not called if an access log is set.
    package var inlineResponder: InlineHandler?
    /// Receives one line for each request at info level: method, path without query, status, bytes, time and peer. Nil turns the
    /// log off.
    package var accessLog: Logger?
    /// Fields added to every response that does not set them, including the server's own rejections.
    package var responseHeaders = HTTPFields()
    /// Creates the response to a request that no handler saw: 400, 408, 413, 414, 417, 431, 500, 501, 503 or 505.
    package var refusal: @Sendable (RefusedRequest) -> Response = {
      .text("\($0.status.code) \($0.status.reasonPhrase)\n", status: $0.status)
    }

    /// Listens on these addresses with the default settings.
    package init(addresses: [(host: String, port: UInt16)]) {
      self.addresses = addresses
    }
  }

  private enum State {
    case fresh, starting, stopped
    case running(ServerCore, EventLoopGroup, [Listener])
  }

  /// The server's metrics.
  package let metrics = ServerMetrics()
  /// The budget of request bodies.
  let bodies: BodyBudget
  /// The limit for each client behind a proxy.
  let clients: ClientRequestLimiter

  let configuration: Configuration
  private let logger: Logger
  private let respond: Responder
  private let state = Locked(State.fresh)

  /// Creates a server that does not listen yet; `respond` runs on the connection's event loop and must not block it.
  package init(configuration: Configuration, logger: Logger, respond: @escaping Responder) {
    self.configuration = configuration
    self.logger = logger
    self.respond = respond
    bodies = BodyBudget(limit: configuration.limits.bodies)
    clients = ClientRequestLimiter(limit: max(configuration.limits.connectionsPerClient, 1))
  }

  /// Starts listening. Returns the bound addresses in the order given, followed by inherited sockets and Unix sockets.
  package func start() async throws(ServerError) -> [SocketAddress] {
    let isFresh = state.withLock { state in
      guard case .fresh = state else { return false }
      state = .starting
      return true
    }
    guard isFresh else { throw .alreadyStarted }
    do throws(ServerError) {
      return try await listen()
    } catch {
      state.withLock { $0 = .fresh }
      throw error
    }
  }

  private func listen() async throws(ServerError) -> [SocketAddress] {
    let core = try makeCore()
    let plan = try ListeningPlan(configuration)
    let group: EventLoopGroup
    do throws(ReactorError) { group = try EventLoopGroup.start(count: configuration.loops) } catch { throw .listen(error) }
    let limiter = ConnectionLimiter(limits: core.limits, metrics: metrics)
    let contexts = EventLoopContexts(core, group)
    do throws(ReactorError) {
      let listeners = try await plan.open(on: group, admission: limiter.admission) { stream, peer, loop in
        await Self.serve(core, contexts, stream, peer, loop)
      }
      state.withLock { $0 = .running(core, group, listeners) }
      return listeners.map(\.localAddress)
    } catch {
      await group.stop()
      throw .listen(error)
    }
  }

  /// Stops gracefully: accepts no new connections, closes idle ones, sends `Connection: close` with the responses to running
  /// requests, and ends event streams. Connections still open after `limit` are closed. Returns when every loop has ended.
  package func stop(within limit: Duration) async {
    let running = state.withLock { state -> (ServerCore, EventLoopGroup, [Listener])? in
      guard case .running(let core, let group, let listeners) = state else { return nil }
      // First, so that responses sent while the listeners close already announce the end of the connection.
      core.registry.beginStopping()
      state = .stopped
      return (core, group, listeners)
    }
    guard let (core, group, listeners) = running else { return }
    for listener in listeners { await listener.close() }
    group.interruptIdleReads()
    if await !core.registry.waitUntilEmpty(within: limit) {
      logger.warning("connections closed at the deadline", metadata: ["count": "\(core.registry.count)"])
      core.registry.closeAll()
      // Handlers that check for cancellation end now; others cannot keep the process alive.
      _ = await core.registry.waitUntilEmpty(within: .seconds(1))
    }
    await group.stop()
  }

  /// The number of open connections; 0 after the server was stopped.
  package var connectionCount: Int {
    state.withLock { state in
      guard case .running(let core, _, _) = state else { return 0 }
      return core.registry.count
    }
  }

  private func makeCore() throws(ServerError) -> ServerCore {
    let serializer: ResponseSerializer
    do throws(ResponseError) {
      serializer = try ResponseSerializer(defaults: configuration.responseHeaders)
    } catch {
      throw .invalidHeaders(error)
    }
    return ServerCore(
      limits: configuration.limits, serializer: serializer, respond: respond,
      inlineResponder: configuration.accessLog == nil ? configuration.inlineResponder : nil, refusal: configuration.refusal,
      logger: logger,
      accessLog: configuration.accessLog.map { AccessLog(logger: $0) }, metrics: metrics, bodies: bodies,
      clients: clients)
  }

  private static func serve(
    _ core: ServerCore, _ contexts: EventLoopContexts, _ stream: any ByteStream, _ peer: SocketAddress, _ loop: EventLoop
  ) async {
    let connection = connect(core, contexts, stream, peer, loop)
    guard connection.id != 0 else { return await connection.rejectOverLimit() }
    await connection.run()
    core.registry.remove(connection.id)
  }

  /// Registers a connection; its id is 0 if the limit is reached. A function of its own keeps this out of the async frame, which
  /// idle connections keep in memory.
  @inline(never)
  private static func connect(
    _ core: ServerCore, _ contexts: EventLoopContexts, _ stream: any ByteStream, _ peer: SocketAddress, _ loop: EventLoop
  ) -> Connection {
    let io = ConnectionIO(stream: stream, limits: core.limits, budget: core.bodies, metrics: core.metrics)
    let id = core.registry.add(stream, limit: core.limits.connections) ?? 0
    return Connection(core: core, context: contexts.context(of: loop), io: io, id: id, peer: peer)
  }
}

/// Why a server could not start.
package enum ServerError: Error, Equatable, Sendable {
  /// The host is not a numeric address.
  case invalidAddress(String)
  /// The server could not listen on an address, or could not create an event loop.
  case listen(ReactorError)
  /// A default response field contains bytes that are not safe to write.
  case invalidHeaders(ResponseError)
  /// The server was already started.
  case alreadyStarted
}
