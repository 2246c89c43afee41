/// Why an attempt brought no response. Texts carry no header, body or URL, so they may be logged.
package enum TransportError: Error, Sendable, Hashable {
  /// No connection was made, so the server has seen nothing.
  case offline(kind: OfflineKind)
  /// A limit of time passed.
  case timedOut(TimeoutPhase)
  /// The connection broke; `mayHaveBeenProcessed` is true once a byte of the request may have reached the server.
  case connectionLost(mayHaveBeenProcessed: Bool)
  /// The handshake failed or the certificate is not trusted; the text is for developers. No byte of the request went to this server.
  case tls(String)
  /// The chain is trusted but holds no pinned key; `presented` are the pins of the verified chain, leaf first. No byte of the
  /// request went to this server.
  case pinMismatch(presented: [String])
  /// The calling task was cancelled, or the transport is shut down.
  case cancelled
  /// The body, decompressed, is over the limit.
  case responseTooLarge
  /// The answer is not HTTP, or its content coding is broken.
  case malformedResponse
  /// The URL is not an absolute `https` URL, or a header cannot be sent as it is.
  case invalidURL

  /// Why no connection could be made.
  package enum OfflineKind: String, Sendable, Hashable, CaseIterable {
    /// The name has no address.
    case cannotFindHost
    /// The address does not accept connections.
    case cannotConnect
    /// This machine has no route to the network.
    case notConnected
    /// The resolver, or the proxy's name, failed.
    case dnsLookupFailed
  }

  /// Which limit of time passed.
  package enum TimeoutPhase: String, Sendable, Hashable, CaseIterable {
    /// Lookup, TCP and TLS together; the server has not seen the request.
    case connect
    /// Nothing moved on the wire for the idle timeout.
    case idle
    /// The attempt's deadline.
    case deadline
  }
}
