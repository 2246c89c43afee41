/// A request with its response as they were sent, for the comparison with a document.
package struct ObservedExchange: Sendable {
  /// The method, such as `GET`.
  package var method: String
  /// The path as sent, percent-encoded, without the query.
  package var path: String
  /// The query as sent, without `?`.
  package var query: String?
  /// The header lines of the request.
  package var requestHeaders: [(name: String, value: String)]
  /// The body of the request; empty if there is none, nil if it is unknown and not to be compared.
  package var requestBody: [UInt8]?
  /// The status; nil if there was no response.
  package var status: Int?
  /// The header lines of the response.
  package var responseHeaders: [(name: String, value: String)]
  /// The body of the response after content decoding; empty if there is none, nil if it is unknown and not to be compared.
  package var responseBody: [UInt8]?
  /// Whether a text stands for a hidden value, which can be any; nil if none does.
  package var isMasked: (@Sendable (String) -> Bool)?

  package init(
    method: String, path: String, query: String? = nil, requestHeaders: [(name: String, value: String)] = [],
    requestBody: [UInt8]? = [], status: Int? = nil, responseHeaders: [(name: String, value: String)] = [],
    responseBody: [UInt8]? = []
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.requestHeaders = requestHeaders
    self.requestBody = requestBody
    self.status = status
    self.responseHeaders = responseHeaders
    self.responseBody = responseBody
  }
}
