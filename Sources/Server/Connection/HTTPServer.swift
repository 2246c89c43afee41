package import HTTPTypes
package import Logging
package import Reactor
import Locking
import Wire

/// An HTTP/1.1 server on its own event loops. It knows no routes: one closure answers every request.
package final class HTTPServer: Sendable {
  /// How a server runs.
  package struct Configuration: Sendable {
    /// Numeric addresses with ports; port 0 lets the system choose, once: later addresses with port 0 share the first's.
    package var addresses: [(host: String, port: UInt16)]
    /// Unix sockets: the path, and the permission bits of its file.
    package var unixSockets: [(path: String, mode: UInt32)] = []
    /// Sockets that systemd listens on for this process.
    package var inheritedSockets: [InheritedSocket] = []
    /// How many event loops, each with a thread.
    package var loops = 1
    /// Encrypts all addresses, Unix sockets excepted.
    package var tls: TLSContext?
    /// What connections and requests may cost.
    package var limits = ServerLimits()
    /// Has answers ready, so that no handler is needed; not asked where an access log is kept.
    package var inlineResponder: InlineHandler?
    /// Receives one line a request at info level: method, path without query, status, bytes, time and peer; nil for none.
    package var accessLog: Logger?
    /// Fields of every answer that does not set them itself, the server's own refusals too.
    package var responseHeaders = HTTPFields()
    /// Makes the answer to a request that no handler saw: 400, 408, 413, 414, 417, 431, 500, 501, 503, 505.
    package var refusal: @Sendable (RefusedRequest) -> Response = {
      .text("\($0.status.code) \($0.status.reasonPhrase)\n", status: $0.status)
    }

    /// Listens on these addresses with the defaults.
    package init(addresses: [(host: String, port: UInt16)]) {
      self.addresses = addresses
    }
  }

  private enum State {
    case fresh, starting, stopped
    case running(ServerCore, EventLoopGroup, [Listener])
  }

  /// What the server has done.
  package let metrics = ServerMetrics()
  /// The bytes of all bodies.
  let bodies: BodyBudget
  /// The requests of the clients that a proxy names.
  let clients: ClientRequestLimiter

  let configuration: Configuration
  private let logger: Logger
  private let respond: Responder
  private let state = Locked(State.fresh)

  /// A server that is not listening yet; `respond` runs on the connection's loop and must not block it.
  package init(configuration: Configuration, logger: Logger, respond: @escaping Responder) {
    (self.configuration, self.logger, self.respond) = (configuration, logger, respond)
    bodies = BodyBudget(limit: configuration.limits.bodies)
    clients = ClientRequestLimiter(limit: max(configuration.limits.connectionsPerClient, 1))
  }

  /// Begins to listen; returns the addresses with their ports in the order given, inherited ones and Unix sockets behind them.
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

  /// Stops in order: no new connections, idle ones closed, requests under way answered with `Connection: close`, event streams
  /// ended; what is left after `limit` is cut off. Returns when every loop has ended.
  package func stop(within limit: Duration) async {
    let running = state.withLock { state -> (ServerCore, EventLoopGroup, [Listener])? in
      guard case .running(let core, let group, let listeners) = state else { return nil }
      // First, so that an answer given while the listeners close says already that the connection ends.
      core.registry.beginStopping()
      state = .stopped
      return (core, group, listeners)
    }
    guard let (core, group, listeners) = running else { return }
    for listener in listeners { await listener.close() }
    group.interruptIdleReads()
    if await !core.registry.waitUntilEmpty(within: limit) {
      logger.warning("connections cut off", metadata: ["count": "\(core.registry.count)"])
      core.registry.closeAll()
      // Handlers that heed cancellation end now; one that does not cannot hold the process.
      _ = await core.registry.waitUntilEmpty(within: .seconds(1))
    }
    await group.stop()
  }

  /// How many connections are open; 0 once the server stops.
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

  /// A connection that is counted; with the id 0 where there are as many as may be. Outside the task's frame, which an idle
  /// connection keeps.
  @inline(never)
  private static func connect(
    _ core: ServerCore, _ contexts: EventLoopContexts, _ stream: any ByteStream, _ peer: SocketAddress, _ loop: EventLoop
  ) -> Connection {
    let io = ConnectionIO(stream: stream, limits: core.limits, budget: core.bodies, metrics: core.metrics)
    let id = core.registry.add(stream, limit: core.limits.connections) ?? 0
    return Connection(core: core, context: contexts.context(of: loop), io: io, id: id, peer: peer)
  }
}
