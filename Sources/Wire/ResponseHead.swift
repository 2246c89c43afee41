package import HTTPTypes

/// The status and the fields of one answer; `Date`, `Connection` and the framing fields are the serializer's.
package struct ResponseHead: Sendable {
  /// The status; its code and reason are written.
  package var status: HTTPResponse.Status
  /// The fields in order.
  package var fields: HTTPFields

  /// A head of known parts.
  package init(status: HTTPResponse.Status, fields: HTTPFields = HTTPFields()) {
    self.status = status
    self.fields = fields
  }
}

/// How the body of an answer is delimited (RFC 9112 §6).
package enum ResponseFraming: Equatable, Sendable {
  /// So many bytes, 0 too.
  case length(Int)
  /// Chunks until the last.
  case chunked
  /// Until the connection closes, for a client of HTTP/1.0.
  case untilClose
}

/// Why an answer cannot be written.
package enum ResponseError: Error, Equatable, Sendable {
  /// A name, value or reason has a byte that would end its line or worse.
  case unsafeField(String)
  /// An interim status, or one below 100 or above 999, cannot be a final answer.
  case invalidStatus(Int)
}
