package import HTTPTypes

/// One attempt as it goes on the wire.
package struct TransportRequest: Sendable, Hashable {
  /// The request method.
  package var method: HTTPRequest.Method
  /// An absolute `https` URL, percent-encoded; its path and query go out byte for byte (no dot segments removed), so what is signed is sent.
  package var url: String
  /// The header fields in wire order; `Host`, `Content-Length` and `Accept-Encoding` are the transport's own.
  package var headers: HTTPFields
  /// The body, nil for none; an empty one is sent as `Content-Length: 0`.
  package var body: [UInt8]?
  /// The longest silence on the wire before the attempt ends with `.timedOut(.idle)`.
  package var idleTimeout: Duration
  /// The instant at which the attempt ends with `.timedOut(.deadline)`, whatever its state.
  package var deadline: ContinuousClock.Instant
  /// Whether the wire may send it a second time when a reused connection turns out dead (RFC 9110 §9.2.2); false for a POST.
  package var isReplayable: Bool
  /// The largest body taken for this attempt, in bytes after decompression; nil for the transport's own limit, which is never exceeded.
  package var responseLimit: Int?

  /// A request with all its parts.
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
