package import HTTPTypes
import Wire

package struct Response: Sendable {
  /// The content of a response.
  package enum Body: Sendable {
    /// No content.
    case none
    /// The given bytes.
    case bytes([UInt8])
    /// Bytes produced while they are sent: exactly `length` of them if it is set. If the closure throws, the connection is
    /// closed.
    case stream(length: Int?, @Sendable (BodyWriter) async throws -> Void)
    /// A server-sent event stream, which ends when the channel closes or the client disconnects.
    case events(EventSubscription)
  }

  package var status: HTTPResponse.Status { didSet { prepared = nil } }
  /// The fields; the server adds the framing fields, `Date` and `Connection`.
  package var headers: HTTPFields { didSet { prepared = nil } }
  package var body: Body { didSet { prepared = nil } }
  /// The route's pattern, for ``ServerMetrics``; must not contain anything the client sent.
  package var route: String?
  /// The same response as bytes, as long as no member was changed.
  private(set) var prepared: PreparedResponse?

  package init(status: HTTPResponse.Status, headers: HTTPFields = HTTPFields(), body: Body = .none) {
    (self.status, self.headers, self.body) = (status, headers, body)
  }

  /// A response that is prepared as bytes.
  package init(_ prepared: PreparedResponse) {
    self = prepared.response
    self.prepared = prepared
  }

  /// Whether the body is a server-sent event stream.
  var isEventStream: Bool { if case .events = body { true } else { false } }

  /// A response with encoded JSON.
  package static func json(_ bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
    Response(status: status, headers: [.contentType: "application/json"], body: .bytes(bytes))
  }

  /// A response with plain text.
  package static func text(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
    Response(status: status, headers: [.contentType: "text/plain; charset=utf-8"], body: .bytes(Array(text.utf8)))
  }

  /// A redirect; `location` must not come from a request unchecked.
  package static func redirect(to location: String, status: HTTPResponse.Status = .seeOther) -> Response {
    Response(status: status, headers: [.location: location])
  }

  /// A server-sent event stream.
  package static func events(_ subscription: EventSubscription) -> Response {
    Response(
      status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"], body: .events(subscription))
  }
}
