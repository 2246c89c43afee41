package import Wire

/// Limits of connections and requests.
package struct ServerLimits: Sendable {
  /// Limits of heads, chunks and trailers.
  package var request = RequestLimits()
  /// The largest request body in bytes; more is 413.
  package var body = 1_048_576
  /// The largest body in bytes of a request to one of `streamedPaths`, whose handler reads it in pieces.
  package var streamedBody = 256 << 20
  /// The paths whose bodies may be that large.
  package var streamedPaths: Set<String> = []
  /// The largest total size of all request bodies in progress, in bytes; beyond it the response is 503.
  package var bodies = 64 << 20
  /// The largest number of open connections; further ones get 503.
  package var connections = 4096
  /// The largest number of open connections of one client address; further ones are closed. 0 turns the limit off.
  package var connectionsPerClient = 256
  /// Whether all connections come from a reverse proxy. If so, the client is the one that the proxy names (``ForwardedClient``),
  /// and `connectionsPerClient` limits its concurrent requests; further ones get 503.
  package var isBehindProxy = false
  /// Whether clients on this machine are limited too. A local proxy connects on behalf of many clients.
  package var countsLoopbackClients = false
  /// From the first byte of a head to its end; after that the response is 408.
  package var headTimeout = Duration.seconds(10)
  /// How long a connection may be idle, before and between requests.
  package var idleTimeout = Duration.seconds(60)
  /// How long a body may take before `bodyRate` applies.
  package var bodyTimeout = Duration.seconds(30)
  /// The minimum rate of a body in bytes a second.
  package var bodyRate = 500
  /// How long a write may make no progress.
  package var writeTimeout = Duration.seconds(30)

  package init() {}

  /// The largest body of a request to a path, in bytes.
  func body(of path: String) -> Int { !streamedPaths.isEmpty && streamedPaths.contains(path) ? streamedBody : body }
}
