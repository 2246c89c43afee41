package import HTTPTypes

/// One answer.
package struct Response: Sendable {
  /// What follows the head.
  package enum Body: Sendable {
    /// Nothing.
    case none
    /// These bytes.
    case bytes([UInt8])
    /// Bytes made while they are sent: exactly `length` of them where it is known; a throw breaks the connection off.
    case stream(length: Int?, @Sendable (BodyWriter) async throws -> Void)
    /// A server-sent event stream, until the channel closes or the client goes.
    case events(EventSubscription)
  }

  /// The status.
  package var status: HTTPResponse.Status { didSet { prepared = nil } }
  /// The fields; framing, `Date` and `Connection` are the server's.
  package var headers: HTTPFields { didSet { prepared = nil } }
  /// The body.
  package var body: Body { didSet { prepared = nil } }
  /// The pattern that led to this answer, for ``ServerMetrics``; never made of a path or anything else that was sent.
  package var route: String?
  /// The same answer as bytes, while nothing of it has been changed.
  private(set) var prepared: PreparedResponse?

  /// An answer of known parts.
  package init(status: HTTPResponse.Status, headers: HTTPFields = HTTPFields(), body: Body = .none) {
    (self.status, self.headers, self.body) = (status, headers, body)
  }

  /// An answer that is kept as bytes.
  package init(_ prepared: PreparedResponse) {
    self = prepared.response
    self.prepared = prepared
  }

  /// JSON that is ready to send.
  package static func json(_ bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
    Response(status: status, headers: [.contentType: "application/json"], body: .bytes(bytes))
  }

  /// Plain text.
  package static func text(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
    Response(status: status, headers: [.contentType: "text/plain; charset=utf-8"], body: .bytes(Array(text.utf8)))
  }

  /// A redirection; `location` must not come from a request unchecked.
  package static func redirect(to location: String, status: HTTPResponse.Status = .seeOther) -> Response {
    Response(status: status, headers: [.location: location])
  }

  /// A server-sent event stream.
  package static func events(_ subscription: EventSubscription) -> Response {
    Response(
      status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"], body: .events(subscription))
  }
}
