package import HTTPTypes

/// The request target (RFC 9112 §3.2), as sent.
package enum RequestTarget: Equatable, Sendable {
  /// A path that begins with `/`, still percent-encoded, and the query without `?`.
  case origin(path: String, query: String?)
  /// A full URL; its authority replaces `Host`.
  case absolute(scheme: String, authority: String, path: String, query: String?)
  /// `*`, only for OPTIONS.
  case asterisk
}

/// The protocol version; minor versions above 1 are read as 1.1 (RFC 9110 §2.5).
package enum ProtocolVersion: Equatable, Sendable {
  case http10
  case http11
}

/// The framing of a request body (RFC 9112 §6).
package enum RequestFraming: Equatable, Sendable {
  /// No body.
  case none
  /// A body of this many bytes, at least one.
  case length(UInt64)
  /// A chunked body.
  case chunked
}

/// The request line and the fields of one request, validated.
package struct RequestHead: Equatable, Sendable {
  /// The method as sent.
  package var method: HTTPRequest.Method
  /// The target as sent.
  package var target: RequestTarget
  package var version: ProtocolVersion
  /// The fields in order, with names in lower case; `Host` is the authority of an absolute target.
  package var fields: HTTPFields
  /// The framing of the body.
  package var framing: RequestFraming
  /// Whether the client allows the connection to persist (RFC 9112 §9.3).
  package var keepAlive: Bool
  /// Whether the client waits for `100 Continue` before it sends the body.
  package var expectsContinue: Bool

  /// The path as sent; `*` for the server as a whole.
  package var path: String {
    switch target {
    case .origin(let path, _), .absolute(_, _, let path, _): path
    case .asterisk: "*"
    }
  }

  /// The query as sent, without `?`.
  package var query: String? {
    switch target {
    case .origin(_, let query), .absolute(_, _, _, let query): query
    case .asterisk: nil
    }
  }
}

/// The parsed part of a head that was rejected before it was complete.
package struct PartialHead: Equatable, Sendable {
  package let method: HTTPRequest.Method
  /// The path as sent, without the query; empty if the target has none.
  package let path: String
  /// The fields before the rejected one.
  package let fields: HTTPFields
}
