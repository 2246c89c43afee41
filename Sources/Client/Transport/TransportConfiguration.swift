/// How a `CurlTransport` connects; fixed for its lifetime, so that no pooled connection or TLS session outlives its policy.
package struct TransportConfiguration: Sendable, Hashable {
  /// The trust anchors.
  package var trust: Trust
  /// The keys of which the verified chain must contain one; empty for no pinning.
  package var pins: Set<SPKIPin>
  /// The handling of a chain without a pinned key.
  package var pinMode = PinMode.enforce
  /// The proxy to use.
  package var proxy: Proxy
  /// The timeout of lookup, TCP and TLS together.
  package var connectTimeout: Duration
  /// The largest response body accepted, in bytes after decompression.
  package var responseLimit: Int
  /// How long a connection may have been idle to be reused by a request that may be sent twice; whole seconds.
  package var reuseAge = Duration.seconds(50)
  /// The same for a request that may be sent only once: servers close idle connections after as little as 5 s, and libcurl 7.88
  /// treats a connection that was closed with a close_notify as alive.
  package var unsafeReuseAge = Duration.seconds(2)

  /// The most header bytes of a response, including interim responses.
  package static let headerLimit = 256 << 10
  /// The most header lines of a response, including interim responses; `HTTPFields` holds 65,535.
  package static let headerLineLimit = 2000
  /// The default size limit of a response body, in bytes after decompression: 16 MiB.
  package static let standardResponseLimit = 16 << 20

  /// The handling of a chain without a pinned key.
  package enum PinMode: Sendable, Hashable {
    /// Nothing is sent.
    case enforce
    /// It is reported and used, for trying out pins.
    case report
  }

  /// Where the trust anchors come from.
  package enum Trust: Sendable, Hashable {
    /// The system's store.
    case system
    /// Only these certificates, as PEM; a self-signed server certificate may be its own anchor.
    case pem(String)
  }

  /// The proxy to use.
  package enum Proxy: Sendable, Hashable {
    /// The proxy that `https_proxy`, `all_proxy` and `no_proxy` name.
    case environment
    /// No proxy, whatever the environment sets.
    case none
    /// An `http://host:port` proxy, by `CONNECT`.
    case url(String)
  }

  /// Creates a configuration, by default with the system's trust anchors, no pins, the environment's proxy, 10 s to connect and
  /// 16 MiB for a body.
  package init(
    trust: Trust = .system, pins: Set<SPKIPin> = [], proxy: Proxy = .environment, connectTimeout: Duration = .seconds(10),
    responseLimit: Int = TransportConfiguration.standardResponseLimit
  ) {
    self.trust = trust
    self.pins = pins
    self.proxy = proxy
    self.connectTimeout = connectTimeout
    self.responseLimit = responseLimit
  }
}
