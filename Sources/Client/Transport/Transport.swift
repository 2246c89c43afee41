package import HTTPTypes
package import Observability

/// Sends HTTP requests: one request in, one complete response out. A value, so that a test can script it.
package struct Transport: Sendable {
  /// Sends one attempt and returns the complete response, whatever its status; redirects are not followed. A canceled task gets
  /// `.cancelled` at once, in every phase.
  package var send: @Sendable (TransportRequest) async throws(TransportError) -> TransportResponse

  /// Creates a transport from a function.
  package init(send: @escaping @Sendable (TransportRequest) async throws(TransportError) -> TransportResponse) {
    self.send = send
  }
}

/// The request of one attempt.
package struct TransportRequest: Sendable, Hashable {
  package var method: HTTPRequest.Method
  /// An absolute, percent-encoded `https` URL; with `allowsPlainText`, also `http`.
  ///
  /// Path and query are sent byte for byte, including dot segments, because they are signed.
  package var url: String
  /// The header fields in order; the transport sets `Host`, `Content-Length` and `Accept-Encoding`.
  package var headers: HTTPFields
  /// The body, nil for none; an empty one is sent with `Content-Length: 0`.
  package var body: [UInt8]?
  /// The longest time without a transfer before the attempt ends with `.timedOut(.idle)`.
  package var idleTimeout: Duration
  /// When the attempt ends with `.timedOut(.deadline)`, in any state.
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

/// A complete response, decompressed.
package struct TransportResponse: Sendable, Hashable {
  /// The status code, 200…999; interim responses (1xx) are dropped.
  package var status: Int
  /// The header fields in order; trailers are dropped.
  package var headers: HTTPFields
  /// The body after decompression, empty when there is none.
  package var body: [UInt8]
  /// Why the body could not be decoded, in words; nil if it was.
  package var codingFault: String?
  /// How long each phase took.
  package var timings: NetworkTimings
  /// The connection over which it came; nil if it came over none.
  package var connection: NetworkConnection?
  package init(status: Int, headers: HTTPFields = [:], body: [UInt8] = [], timings: NetworkTimings = NetworkTimings()) {
    self.status = status
    self.headers = headers
    self.body = body
    self.timings = timings
  }
}
