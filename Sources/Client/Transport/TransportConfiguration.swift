/// How a `CurlTransport` connects; fixed for its whole life, so that no pooled connection or TLS session outlives its policy.
package struct TransportConfiguration: Sendable, Hashable {
  /// Which certificates end a chain.
  package var trust: Trust
  /// The keys of which one must be in the verified chain; empty for no pinning.
  package var pins: Set<SPKIPin>
  /// What a chain without a wanted key means.
  package var pinMode = PinMode.enforce
  /// The way to the server.
  package var proxy: Proxy
  /// The limit of lookup, TCP and TLS together.
  package var connectTimeout: Duration
  /// The largest body taken, in bytes after decompression.
  package var responseLimit: Int
  /// How long a connection may have been idle to be used again by what may be sent twice; whole seconds.
  package var reuseAge = Duration.seconds(50)
  /// The same for what goes out once: servers close idle connections after as little as 5 s, and libcurl 7.88 takes one that
  /// was closed with a close_notify for alive.
  package var unsafeReuseAge = Duration.seconds(2)

  /// The most bytes of an answer's headers, interim answers included.
  package static let headerLimit = 256 << 10
  /// The largest body taken unless somebody says otherwise, in bytes after decompression: 16 MiB.
  package static let standardResponseLimit = 16 << 20

  /// What a chain without a wanted key means.
  package enum PinMode: Sendable, Hashable {
    /// No byte is sent.
    case enforce
    /// It is told, and used: for trying pins out before they are relied on.
    case report
  }

  /// Where the trust anchors come from.
  package enum Trust: Sendable, Hashable {
    /// The system's store.
    case system
    /// These certificates as PEM text and no others; a self-signed server certificate may be its own anchor.
    case pem(String)
  }

  /// The way to the server.
  package enum Proxy: Sendable, Hashable {
    /// What `https_proxy`, `all_proxy` and `no_proxy` say.
    case environment
    /// Straight to the server, whatever the environment says.
    case none
    /// An `http://host:port` proxy, by `CONNECT`.
    case url(String)
  }

  /// A configuration with the system's trust, no pins, the environment's proxy, 10 s to connect and 16 MiB a body.
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
