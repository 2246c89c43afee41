package import HTTPTypes

/// A request as it goes out, secrets included: made for `NetworkLog` alone. It cannot be encoded and prints nothing of itself.
package struct RawRequest: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The method.
  package var method: HTTPRequest.Method
  /// Scheme and authority, such as `https://api.example.org`; no path and no userinfo.
  package var origin: String
  /// The path as on the wire, percent-encoded.
  package var path: String
  /// The query as on the wire, without `?`.
  package var query: String?
  /// The endpoint called.
  package var endpoint: EndpointTraits
  /// The header lines in wire order, repeated ones included.
  package var headers: [(name: String, value: String)]
  /// The body; empty for none.
  package var body: [UInt8]

  /// A request with its headers in wire order.
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

  /// A hash, keyed anew in each process, by which the log sees that an attempt ended with the request that it began with. It stands for the
  /// request together with what was known when it was redacted.
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

  /// A text without the request.
  package var description: String { "RawRequest" }
  /// A text without the request.
  package var debugDescription: String { description }
  /// A mirror without the request, so that `dump` shows nothing.
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension HTTPFields {
  /// The fields as lines in order, as the log takes them.
  package var lines: [(name: String, value: String)] { map { ($0.name.rawName, $0.value) } }
}
