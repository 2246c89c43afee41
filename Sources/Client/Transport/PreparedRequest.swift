import HTTPTypes

/// A request that was checked to go on the wire as it stands, as libcurl wants it.
struct PreparedRequest: Sendable {
  /// The absolute URL, printable ASCII only.
  let url: String
  /// The method token.
  let method: String
  /// Header lines in libcurl's syntax: `Name: value`, `Name;` for an empty value, `Name:` to leave one of its own away.
  let headerLines: [String]
  /// The body, nil for none; POST, PUT and PATCH always have one.
  let body: [UInt8]?
  /// The longest silence.
  let idleTimeout: Duration
  /// Whether libcurl may send it a second time.
  let isReplayable: Bool
  /// The largest body taken; nil for the transport's own limit.
  let responseLimit: Int?

  /// Fields that belong to the connection or to libcurl, never to a caller.
  private static let reserved: Set<String> = [
    "host", "content-length", "accept-encoding", "transfer-encoding", "connection", "expect", "te", "upgrade", "keep-alive",
  ]

  /// Fields that libcurl would add by itself.
  private static let libcurlDefaults = ["Accept", "Content-Type", "Expect", "User-Agent"]

  /// Throws `.invalidURL` for a URL that is not absolute `https` in printable ASCII with a host, for a header that is not one line,
  /// and for a HEAD with a body.
  init(_ request: TransportRequest) throws(TransportError) {
    guard Self.isAcceptable(request.url), !(request.method == .head && request.body != nil) else { throw .invalidURL }
    url = request.url
    method = request.method.rawValue
    // These announce a body, so an absent one is said to be empty (RFC 9110 §8.6).
    body = request.body ?? ([.post, .put, .patch].contains(request.method) ? [] : nil)
    idleTimeout = request.idleTimeout
    isReplayable = request.isReplayable
    responseLimit = request.responseLimit
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

  /// `https://`, then a host (libcurl would take `https:///a` for a host `a`), all of it visible ASCII; no fragment, which would not
  /// be sent.
  private static func isAcceptable(_ url: String) -> Bool {
    let bytes = Array(url.utf8)
    let scheme = Array("https://".utf8)
    guard bytes.count > scheme.count, !"/?:@".utf8.contains(bytes[scheme.count]),
      bytes.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "#") })
    else { return false }
    // Setting bit 5 lowers a letter and leaves ':' and '/' as they are.
    return zip(bytes, scheme).allSatisfy { $0 | 0x20 == $1 }
  }
}
