import HTTPTypes

/// A validated request in the form that libcurl expects.
struct PreparedRequest: Sendable {
  /// The absolute URL, printable ASCII only.
  let url: String
  /// The method token.
  let method: String
  /// Header lines in libcurl's syntax: `Name: value`, `Name;` for an empty value, `Name:` to omit one of libcurl's own.
  let headerLines: [String]
  /// The body, nil for none; POST, PUT and PATCH always have one.
  let body: [UInt8]?
  /// The longest time without a byte.
  let idleTimeout: Duration
  /// Whether libcurl may send it a second time.
  let isReplayable: Bool
  /// The largest response body accepted; nil for the transport's own limit.
  let responseLimit: Int?
  /// Whether the URL may be `http`.
  let allowsPlainText: Bool

  /// Fields that the connection or libcurl sets, never a caller.
  private static let reserved: Set<String> = [
    "host", "content-length", "accept-encoding", "transfer-encoding", "connection", "expect", "te", "upgrade", "keep-alive",
  ]

  /// Fields that libcurl would add by itself.
  private static let libcurlDefaults = ["Accept", "Content-Type", "Expect", "User-Agent"]

  /// Validates a request; throws `.invalidURL` for a URL that is not absolute `https` (or `http`, if allowed) in printable ASCII with a host, for a
  /// header that is not one line, and for a HEAD with a body.
  init(_ request: TransportRequest) throws(TransportError) {
    let schemes = request.allowsPlainText ? ["https://", "http://"] : ["https://"]
    guard schemes.contains(where: { Self.isAcceptable(request.url, scheme: $0) }),
      !(request.method == .head && request.body != nil)
    else { throw .invalidURL }
    url = request.url
    method = request.method.rawValue
    // These methods expect a body, so a missing one is sent as empty (RFC 9110 §8.6).
    body = request.body ?? ([.post, .put, .patch].contains(request.method) ? [] : nil)
    idleTimeout = request.idleTimeout
    isReplayable = request.isReplayable
    responseLimit = request.responseLimit
    allowsPlainText = request.allowsPlainText
    var lines: [String] = []
    var given: Set<String> = []
    for field in request.headers {
      let name = field.name.canonicalName
      guard !Self.reserved.contains(name) else { continue }
      guard field.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }) else { throw .invalidURL }
      given.insert(name)
      lines.append(field.value.isEmpty ? "\(field.name.rawName);" : "\(field.name.rawName): \(field.value)")
    }
    for name in Self.libcurlDefaults where !given.contains(name.lowercased()) { lines.append("\(name):") }
    headerLines = lines
  }

  /// Whether the URL is the scheme and a host (libcurl would read `https:///a` as host `a`), in visible ASCII and without a
  /// fragment, which would not be sent.
  private static func isAcceptable(_ url: String, scheme: String) -> Bool {
    let bytes = Array(url.utf8)
    let scheme = Array(scheme.utf8)
    guard bytes.count > scheme.count, !"/?:@".utf8.contains(bytes[scheme.count]),
      bytes.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "#") })
    else { return false }
    // Setting bit 5 lowers a letter and leaves ':' and '/' unchanged.
    return zip(bytes, scheme).allSatisfy { $0 | 0x20 == $1 }
  }
}
