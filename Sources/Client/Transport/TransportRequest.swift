package import HTTPTypes

/// The request of one attempt.
package struct TransportRequest: Sendable, Hashable {
  /// The request method.
  package var method: HTTPRequest.Method
  /// An absolute `https` URL, or also `http` with `allowsPlainText`, percent-encoded; path and query are sent byte for byte, dot segments included, so what is signed
  /// is what is sent.
  package var url: String
  /// The header fields in order; the transport sets `Host`, `Content-Length` and `Accept-Encoding`.
  package var headers: HTTPFields
  /// The body, nil for none; an empty one is sent with `Content-Length: 0`.
  package var body: [UInt8]?
  /// The longest time without a transfer before the attempt ends with `.timedOut(.idle)`.
  package var idleTimeout: Duration
  /// When the attempt ends with `.timedOut(.deadline)`, whatever its state.
  package var deadline: ContinuousClock.Instant
  /// Whether it may be sent a second time if a reused connection turns out to be broken (RFC 9110 §9.2.2); false for a POST.
  package var isReplayable: Bool
  /// The largest response body accepted, in bytes after decompression; nil for the transport's own limit, which always applies.
  package var responseLimit: Int?
  /// Whether the URL may be `http`, which only suits a server on this machine and a request without secrets.
  package var allowsPlainText = false
  package init(
    method: HTTPRequest.Method, url: String, headers: HTTPFields = [:], body: [UInt8]? = nil,
    idleTimeout: Duration = .seconds(30), deadline: ContinuousClock.Instant = .now + .seconds(60), isReplayable: Bool = false,
    responseLimit: Int? = nil
  ) {
    self.responseLimit = responseLimit
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.idleTimeout = idleTimeout
    self.deadline = deadline
    self.isReplayable = isReplayable
  }
}
