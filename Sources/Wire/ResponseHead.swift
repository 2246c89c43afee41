package import HTTPTypes

/// The status and fields of a response; the serializer adds `Date`, `Connection` and the framing fields.
package struct ResponseHead: Sendable {
  /// The status; its code and reason phrase are written.
  package var status: HTTPResponse.Status
  /// The fields in order.
  package var fields: HTTPFields

  package init(status: HTTPResponse.Status, fields: HTTPFields = HTTPFields()) {
    self.status = status
    self.fields = fields
  }
}

/// The framing of a response body (RFC 9112 §6).
package enum ResponseFraming: Equatable, Sendable {
  /// A body of this many bytes, possibly 0.
  case length(Int)
  /// A chunked body.
  case chunked
  /// A body that ends when the connection closes, for HTTP/1.0 clients.
  case untilClose
}

/// Why a response cannot be serialized.
package enum ResponseError: Error, Equatable, Sendable {
  /// A name, value or reason phrase contains a byte that is not safe to write, such as a line end.
  case unsafeField(String)
  /// The status is an interim one, or not between 200 and 999.
  case invalidStatus(Int)
}

extension ResponseError: CustomStringConvertible {
  /// The error in words, for logs.
  package var description: String {
    switch self {
    case .unsafeField(let name): "\(name.debugDescription) contains a byte that is not safe to write"
    case .invalidStatus(let status): "\(status) is not the status of a final response"
    }
  }
}
