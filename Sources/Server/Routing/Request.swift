package import HTTPTypes
package import Reactor
import Text
import Wire

/// A request as a handler sees it.
package struct Request: Sendable {
  package var method: HTTPRequest.Method
  /// The path as sent: percent-encoded, without the query; `*` for the server as a whole.
  package var path: String
  /// The query as sent, without `?`.
  package var query: String?
  /// The fields in order; names are in lower case.
  package var headers: HTTPFields
  /// The body, which is read on demand.
  package var body: RequestBody
  /// The address of the peer.
  package var peer: SocketAddress
  /// The client as counted for limits: the peer's address without its port, or the client that a proxy names.
  package var client: SocketAddress
  /// Whether the connection is encrypted.
  package var isTLS: Bool
  /// The decoded captures of the route's pattern.
  package var parameters: [String: String] = [:]
  /// The connection's number, unique within this process.
  var connection: UInt64 = 0
  /// The request's number on its connection.
  var sequence: UInt64 = 0
  /// The peer's user, for a request that was not received from a connection.
  private var knownPeerUser: UInt32?
  /// The connection; nil for a request created in a test.
  var io: ConnectionIO?

  /// Creates a request without a connection, for tests.
  package init(
    method: HTTPRequest.Method, path: String, query: String? = nil, headers: HTTPFields = HTTPFields(),
    body: RequestBody = .empty, peer: SocketAddress, isTLS: Bool = false, peerUser: UInt32? = nil
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
    self.peer = peer
    self.client = peer.client
    self.isTLS = isTLS
    knownPeerUser = peerUser
  }

  /// The user ID of the process at the other end, or nil if this machine cannot determine it. Must be called on the connection's
  /// event loop.
  package var peerUser: UInt32? { io?.stream.peerUser ?? knownPeerUser }

  /// The authority of the request: `Host`, or the authority of an absolute target.
  package var host: String? { headers[.host] }

  /// The client's address for logs.
  package var clientName: String { client.host }

  /// The decoded pairs of the query, in order; empty if the query cannot be decoded or has more than 100 pairs.
  package func queryPairs() -> [(String, String)] {
    query.flatMap { QueryPairs.parse($0) } ?? []
  }

  /// An identifier for logs and errors, unique within this process; it does not identify the client.
  package var requestID: String { Self.name(connection, sequence) }

  /// The identifier of a request by the numbers of connection and request.
  static func name(_ connection: UInt64, _ sequence: UInt64) -> String {
    "\(String(connection, radix: 36))-\(String(sequence, radix: 36))"
  }
}

extension Request {
  /// Runs `work` for this client only, such as a long poll, and cancels it if the client disconnects.
  ///
  /// The work runs on the connection's event loop, so it must not block.
  ///
  /// A client that closes its sending side counts as disconnected: a server cannot distinguish the two until it writes.
  package func cancellingOnDisconnect<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value {
    guard let stream = io?.stream else { return await work() }
    // On the event loop, so that neither start nor end waits for the shared thread pool.
    let worker = Task(executorPreference: stream.loop) { await work() }
    let watcher = Task(executorPreference: stream.loop) {
      await stream.waitForPeerClose()
      if !Task.isCancelled { worker.cancel() }
    }
    let value = await withTaskCancellationHandler {
      await worker.value
    } onCancel: {
      worker.cancel()
    }
    watcher.cancel()
    // The connection's next request may also watch for a disconnect, and only one watcher is allowed at a time.
    await watcher.value
    return value
  }
}
