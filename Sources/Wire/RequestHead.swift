package import HTTPTypes

/// What a request is aimed at (RFC 9112 §3.2), bytes as they came.
package enum RequestTarget: Equatable, Sendable {
  /// A path that begins with `/`, still percent-encoded, and the query without its `?`.
  case origin(path: String, query: String?)
  /// A whole URL; its authority replaces `Host`.
  case absolute(scheme: String, authority: String, path: String, query: String?)
  /// `*`, for OPTIONS only.
  case asterisk
}

/// The protocol version of a message; minors above 1 are read as 1.1 (RFC 9110 §2.5).
package enum ProtocolVersion: Equatable, Sendable {
  /// HTTP/1.0.
  case http10
  /// HTTP/1.1.
  case http11
}

/// How the body of a request is delimited (RFC 9112 §6).
package enum RequestFraming: Equatable, Sendable {
  /// There is no body.
  case none
  /// So many bytes, more than none.
  case length(UInt64)
  /// Chunks until the last.
  case chunked
}

/// The start line and the fields of one request, checked.
package struct RequestHead: Equatable, Sendable {
  /// The method as sent.
  package var method: HTTPRequest.Method
  /// The target as sent.
  package var target: RequestTarget
  /// The version.
  package var version: ProtocolVersion
  /// The fields in order, names in lower case; `Host` is the authority of an absolute target.
  package var fields: HTTPFields
  /// How the body is delimited.
  package var framing: RequestFraming
  /// Whether the sender lets the connection serve another request (RFC 9112 §9.3).
  package var keepAlive: Bool
  /// Whether the sender waits for `100 Continue` before the body.
  package var expectsContinue: Bool

  /// The path as sent, `*` for the server as a whole.
  package var path: String {
    switch target {
    case .origin(let path, _), .absolute(_, _, let path, _): path
    case .asterisk: "*"
    }
  }

  /// The query as sent, without its `?`.
  package var query: String? {
    switch target {
    case .origin(_, let query), .absolute(_, _, _, let query): query
    case .asterisk: nil
    }
  }
}

/// What was read of a head that was refused before it was whole.
package struct PartialHead: Equatable, Sendable {
  /// The method.
  package let method: HTTPRequest.Method
  /// The path as on the wire, without the query; empty if the target has none.
  package let path: String
  /// The fields before the one that was refused.
  package let fields: HTTPFields
}
