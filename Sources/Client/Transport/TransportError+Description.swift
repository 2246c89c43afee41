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
