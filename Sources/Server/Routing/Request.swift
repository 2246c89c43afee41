package import HTTPTypes
package import Reactor
import Wire

/// One request as a handler sees it.
package struct Request: Sendable {
  /// The method.
  package var method: HTTPRequest.Method
  /// The path as on the wire: percent-encoded, without the query; `*` for the server as a whole.
  package var path: String
  /// The query as on the wire, without its `?`.
  package var query: String?
  /// The fields in order, names in lower case.
  package var headers: HTTPFields
  /// The body, read on demand.
  package var body: RequestBody
  /// The other end.
  package var peer: SocketAddress
  /// Who counts for limits: the other end without its port, or whom the proxy names behind one.
  package var client: SocketAddress
  /// Whether the connection is encrypted.
  package var isTLS: Bool
  /// The route's captures, decoded.
  package var parameters: [String: String] = [:]
  /// The connection's number, unique while the process runs.
  var connection: UInt64 = 0
  /// The request's number on its connection.
  var sequence: UInt64 = 0
  /// The peer's user of a request of known parts.
  private var knownPeerUser: UInt32?
  /// The connection; nil for a request of known parts.
  var io: ConnectionIO?

  /// A request of known parts.
  package init(
    method: HTTPRequest.Method, path: String, query: String? = nil, headers: HTTPFields = HTTPFields(),
    body: RequestBody = .empty, peer: SocketAddress, isTLS: Bool = false, peerUser: UInt32? = nil
  ) {
    (self.method, self.path, self.query, self.headers) = (method, path, query, headers)
    (self.body, self.peer, self.client, self.isTLS) = (body, peer, peer.client, isTLS)
    knownPeerUser = peerUser
  }

  /// The user who runs the process at the other end; nil if this machine cannot tell. To be asked for on the connection's loop.
  package var peerUser: UInt32? { io?.stream.peerUser ?? knownPeerUser }

  /// The authority of the request: `Host`, or that of an absolute target.
  package var host: String? { headers[FieldNames.host] }

  /// The client's address as text, for logs.
  package var clientName: String { client.host }

  /// The query's decoded pairs in order; none where the query cannot be decoded or has more than 100.
  package func queryPairs() -> [(String, String)] {
    query.flatMap { QueryPairs.parse($0) } ?? []
  }

  /// The value of the first cookie of that name.
  package func cookie(_ name: String) -> String? {
    for value in headers[values: .cookie] {
      if let found = CookieHeader.value(of: name, in: value) { return found }
    }
    return nil
  }

  /// Names this request in logs and errors; unique while the process runs, and says nothing of the sender.
  package var requestID: String { Self.name(connection, sequence) }

  /// The name of a connection's request.
  static func name(_ connection: UInt64, _ sequence: UInt64) -> String {
    "\(String(connection, radix: 36))-\(String(sequence, radix: 36))"
  }
}
