package import Wire

/// What a connection and a request may cost.
package struct ServerLimits: Sendable {
  /// Sizes of heads, chunks and trailers.
  package var request = RequestLimits()
  /// Bytes of a request's body; more is 413.
  package var body = 1_048_576
  /// Bytes of all requests' bodies that are received or worked on; a body beyond it is 503.
  package var bodies = 64 << 20
  /// Connections open at once; one more gets 503.
  package var connections = 4096
  /// Connections of one client open at once, by its address; one more is closed. 0 for no such limit.
  package var connectionsPerClient = 256
  /// Whether every connection is a proxy's: then a client is whom the proxy names (``ForwardedClient``), and as many of its requests
  /// may be under way as it might else have connections; one more gets 503.
  package var isBehindProxy = false
  /// Whether clients on this machine are limited too; a front there speaks for many.
  package var countsLoopbackClients = false
  /// From the first byte of a head to its end, else 408.
  package var headTimeout = Duration.seconds(10)
  /// Between two requests, and before the first.
  package var idleTimeout = Duration.seconds(60)
  /// A body may take this long and then must have come at `bodyRate` at least.
  package var bodyTimeout = Duration.seconds(30)
  /// Bytes a second.
  package var bodyRate = 500
  /// How long one write may make no headway.
  package var writeTimeout = Duration.seconds(30)

  /// The defaults.
  package init() {}
}
