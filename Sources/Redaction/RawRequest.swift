package import HTTPTypes

/// A request as it is sent, including secrets; only for `NetworkLog`. It cannot be encoded, and descriptions omit the content.
package struct RawRequest: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var method: HTTPRequest.Method
  /// Scheme and authority, such as `https://api.example.org`, without userinfo.
  package var origin: String
  /// The path as sent, percent-encoded.
  package var path: String
  /// The query as sent, without `?`.
  package var query: String?
  package var endpoint: EndpointTraits
  /// The header lines in the order sent, including repeated ones.
  package var headers: [(name: String, value: String)]
  /// The body; empty if there is none.
  package var body: [UInt8]

  package init(
    method: HTTPRequest.Method, origin: String, path: String, query: String? = nil, endpoint: EndpointTraits,
    headers: [(name: String, value: String)] = [], body: [UInt8] = []
  ) {
    self.method = method
    self.origin = origin
    self.path = path
    self.query = query
    self.endpoint = endpoint
    self.headers = headers
    self.body = body
  }

  /// A hash, keyed at random in each process, that shows whether an attempt ended with its first request. It covers the request
  /// and the secrets known when it was redacted.
  func fingerprint(generation: UInt64) -> Int {
    var hasher = Hasher()
    hasher.combine(generation)
    hasher.combine(method.rawValue)
    for text in [origin, path, query, endpoint.name] { hasher.combine(text) }
    for flag in [endpoint.isAuthentication, endpoint.logsRequestBody] { hasher.combine(flag) }
    hasher.combine(headers.count)
    for header in headers {
      hasher.combine(header.name)
      hasher.combine(header.value)
    }
    body.withUnsafeBytes { hasher.combine(bytes: $0) }
    return hasher.finalize()
  }

  /// A description without the content.
  package var description: String { "RawRequest" }
  /// A description without the content.
  package var debugDescription: String { description }
  /// A mirror without the content, so that `dump` shows nothing.
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension HTTPFields {
  /// The fields as pairs of name and value, in order.
  package var lines: [(name: String, value: String)] { map { ($0.name.rawName, $0.value) } }
}
