import FoundationEssentials
package import HTTPTypes
import RPC
import Text

/// A response that the user wrote, for a rule of kind `answer`.
package struct FaultAnswer: Hashable, Sendable {
  /// A header field.
  package struct Header: Hashable, Sendable {
    package let name: HTTPField.Name
    package let value: FaultText
    package init(name: HTTPField.Name, value: FaultText) {
      self.name = name
      self.value = value
    }
  }

  /// The statuses that can be answered.
  package static let statuses = 200...599
  /// The most header fields.
  package static let headerLimit = 64
  /// The longest value of a header field, in bytes.
  package static let headerValueLimit = 8 << 10
  /// The largest body, in bytes.
  package static let bodyLimit = 512 << 10
  /// Header fields that belong to a connection or follow from the body (RFC 9110 §7.6.1, §8.4 and §8.6).
  package static let refusedHeaders: Set<String> = [
    "connection", "content-encoding", "content-length", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding",
    "upgrade",
  ]

  package let status: Int
  package let headers: [Header]
  /// The body; nil for none.
  package let body: FaultText?
  package init(status: Int, headers: [Header] = [], body: FaultText? = nil) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// The response as it would arrive; `wall` is the true instant, in Unix seconds.
  ///
  /// `Date`, `X-Request-ID` and, with a body, `Content-Type: application/json` are added if the user wrote none. Throws
  /// `responseTooLarge` as for a true response.
  func response(to request: TransportRequest, wall: Int64) throws(TransportError) -> TransportResponse {
    var fields = HTTPFields()
    for header in headers { fields.append(HTTPField(name: header.name, value: header.value.value)) }
    var content: [UInt8] = []
    if Self.hasContent(method: request.method, status: status), let body { content = Array(body.value.utf8) }
    guard content.count <= request.responseLimit ?? .max else { throw .responseTooLarge }
    if !content.isEmpty, fields[.contentType] == nil { fields[.contentType] = "application/json" }
    if fields[.date] == nil { fields[.date] = HTTPDate.format(wall) }
    if fields[.requestID] == nil, let id = request.headers[.requestID] { fields[.requestID] = id }
    return TransportResponse(status: status, headers: fields, body: content)
  }

  /// Whether a response can have content (RFC 9110 §6.4.1 and §15.3.6).
  private static func hasContent(method: HTTPRequest.Method, status: Int) -> Bool {
    method != .head && status != 204 && status != 205 && status != 304
  }
}

/// A text of a fault rule: as the user wrote it, and as it is sent or compared.
///
/// The two differ if the text contains masks such as `‹token:3f1c09ab›`, which a copied row has in the place of secrets. Only the
/// written form may be shown.
package struct FaultText: Hashable, Sendable {
  /// As the user wrote it, with masks.
  package let written: String
  /// With the secrets in the place of the masks.
  package let value: String

  /// Creates a text; `value` is the same text with its masks filled in, if it has any.
  package init(_ written: String, value: String? = nil) {
    self.written = written
    self.value = value ?? written
  }

  /// The memory that it takes, in bytes.
  var byteCount: Int { written.utf8.count + (value == written ? 0 : value.utf8.count) }
}
