package import HTTPTypes
import Wire

/// Calls and their responses, in the order in which they were made; a backend can respond from it.
package struct ReplayedRecording: Sendable {
  /// A call with its response.
  package struct Exchange: Sendable {
    let method: HTTPRequest.Method
    /// As sent, without the query.
    let path: String
    /// As sent, without the `?`.
    let query: String?
    /// nil if there was none, or if it was not recorded.
    let requestBody: [UInt8]?
    /// Whether the call carried an access token.
    let isAuthorized: Bool
    let status: Int
    /// The header fields that a later response may repeat.
    let fields: HTTPFields
    let body: [UInt8]

    /// Leaves out header fields that belong to the recorded connection or instant, and those with a masked value; ``leftOut``
    /// names the fields that act beyond the response.
    package init(
      method: HTTPRequest.Method, path: String, query: String?, requestBody: [UInt8]?, isAuthorized: Bool, status: Int,
      headers: [(name: String, value: String)], body: [UInt8]
    ) {
      self.method = method
      self.path = path
      self.query = query
      self.requestBody = requestBody
      self.isAuthorized = isAuthorized
      self.status = status
      self.body = body
      var fields = HTTPFields()
      var leftOut: [String] = []
      // `HTTPFields` holds 65,535 at most.
      for (name, value) in headers.prefix(Self.headerLimit) where !Self.omitted.contains(name.lowercased()) {
        guard let name = HTTPField.Name(name), value.utf8.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == 0x09 }) else {
          continue
        }
        guard Self.isHarmless(name.canonicalName, value) else {
          if !leftOut.contains(name.canonicalName), leftOut.count < Self.namesLimit { leftOut.append(name.canonicalName) }
          continue
        }
        fields.append(HTTPField(name: name, value: value))
      }
      if !leftOut.isEmpty { fields.append(HTTPField(name: Self.leftOut, value: leftOut.joined(separator: ", "))) }
      self.fields = fields
    }

    /// The field that names the recorded fields which a response lacks.
    private static let leftOut = HTTPField.Name.constant("X-Replay-Left-Out")
    private static let namesLimit = 20
    private static let headerLimit = 2000

    /// Fields of the connection (RFC 9110 §7.6.1), of the length and coding of the recorded bytes, and of the recorded instant.
    private static let omitted: Set<String> = [
      "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-connection", "te", "trailer",
      "transfer-encoding", "upgrade", "alt-svc", "content-length", "content-encoding", "content-md5", "content-digest", "date",
      "age", "x-request-id",
    ]

    /// Fields that act on the browser or on other hosts beyond this response.
    private static let beyond: Set<String> = [
      "clear-site-data", "strict-transport-security", "nel", "report-to", "public-key-pins",
    ]

    /// Whether a field may be sent again: excludes one that acts beyond the response, a cookie of another domain, and a line that
    /// no client accepts.
    private static func isHarmless(_ name: String, _ value: String) -> Bool {
      guard !beyond.contains(name), value.utf8.count <= longestValue else { return false }
      return name != "set-cookie"
        || !value.lowercased().split(separator: ";").contains { part in
          part.drop { $0 == " " }.hasPrefix("domain=")
        }
    }

    private static let longestValue = 16 << 10
  }

  let exchanges: [Exchange]

  package init(exchanges: [Exchange]) { self.exchanges = exchanges }
}
