/// Why an attempt got no response. Its texts contain no header, body or URL, so they may be logged.
package enum TransportError: Error, Sendable, Hashable {
  /// No connection was made, so the server has seen nothing.
  case offline(kind: OfflineKind)
  /// A timeout passed.
  case timedOut(TimeoutPhase)
  /// The connection broke; `mayHaveBeenProcessed` is true once a byte of the request may have reached the server.
  case connectionLost(mayHaveBeenProcessed: Bool)
  /// The handshake failed or the certificate is not trusted; the text is for developers. No byte of the request was sent to this
  /// server.
  case tls(String)
  /// The chain is trusted but contains no pinned key; `presented` are the pins of the verified chain, leaf first. No byte of the
  /// request was sent to this server.
  case pinMismatch(presented: [String])
  /// The calling task was canceled, or the transport is shut down.
  case cancelled
  /// The decompressed body exceeds the limit.
  case responseTooLarge
  /// The response is not HTTP, or its content coding is invalid.
  case malformedResponse
  /// The URL is not an absolute `https` URL, or a header cannot be sent as it is.
  case invalidURL

  /// Why no connection could be made.
  package enum OfflineKind: Sendable, Hashable, CaseIterable {
    /// The name has no address.
    case cannotFindHost
    /// The address does not accept connections.
    case cannotConnect
    /// This machine has no route to the network.
    case notConnected
    /// The resolver, or the proxy's name, failed.
    case dnsLookupFailed
  }

  /// The timeout that passed.
  package enum TimeoutPhase: Sendable, Hashable, CaseIterable {
    /// Lookup, TCP and TLS together; the server has not seen the request.
    case connect
    /// Nothing was transferred for the idle timeout.
    case idle
    /// The attempt's deadline.
    case deadline
  }
}

extension TransportError: CustomStringConvertible {
  /// The error in words, for rows, logs, exports and reports.
  package var description: String {
    switch self {
    case .offline(let kind): kind.description
    case .timedOut(let phase): phase.description
    case .connectionLost(mayHaveBeenProcessed: true):
      "the connection ended before the response; the server may have processed the request"
    case .connectionLost(mayHaveBeenProcessed: false): "the connection ended before the request was sent"
    case .tls(let text): text.isEmpty ? "no trusted TLS connection" : "no trusted TLS connection: \(text)"
    case .pinMismatch: "no certificate of the server’s chain is pinned"
    case .cancelled: "the call was cancelled"
    case .responseTooLarge: "the response is too large"
    case .malformedResponse: "the response is not valid HTTP"
    case .invalidURL: "the URL or a header cannot be sent"
    }
  }
}

extension TransportError.OfflineKind: CustomStringConvertible {
  /// The reason in words.
  package var description: String {
    switch self {
    case .cannotFindHost: "the host name has no address"
    case .cannotConnect: "the server does not accept connections"
    case .notConnected: "the device has no network connection"
    case .dnsLookupFailed: "the name lookup failed"
    }
  }
}

extension TransportError.TimeoutPhase: CustomStringConvertible {
  /// The timeout in words.
  package var description: String {
    switch self {
    case .connect: "the connection was not made in time"
    case .idle: "nothing was transferred for too long"
    case .deadline: "the call took too long"
    }
  }
}
