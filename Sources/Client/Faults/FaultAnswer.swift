import FoundationEssentials
import HTTPTypes
import RPC
import Text

/// The response that the user wrote, of a rule of kind `answer`.
extension FaultRule.Action {
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

  /// The response as it would arrive; `wall` is the true instant, in Unix seconds.
  ///
  /// `Date`, `X-Request-ID` and, with a body, `Content-Type: application/json` are added if the user wrote none. Throws
  /// `responseTooLarge` as for a true response.
  func response(to request: TransportRequest, wall: Int64) throws(TransportError) -> TransportResponse {
    var fields = HTTPFields()
    for header in headers ?? [] {
      if let name = HTTPField.Name(header.name) { fields.append(HTTPField(name: name, value: header.value.value)) }
    }
    let status = status ?? 200
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
