import Glibc

/// The connection over which a response came.
package struct NetworkConnection: Codable, Hashable, Sendable {
  /// The version of HTTP, such as `HTTP/1.1`; nil if it is unknown.
  package let httpVersion: String?
  /// The connected IP address, which is the proxy's if there is one; nil if it is unknown.
  package let serverAddress: String?

  /// Nil if neither is known; drops an invalid version or address, because both can come from a file.
  package init?(httpVersion: String?, serverAddress: String?) {
    self.httpVersion = httpVersion.flatMap { Self.isVersion($0) ? $0 : nil }
    self.serverAddress = serverAddress.flatMap { Self.isAddress($0) ? $0 : nil }
    if self.httpVersion == nil, self.serverAddress == nil { return nil }
  }

  private enum CodingKeys: String, CodingKey {
    case httpVersion = "http_version"
    case serverAddress = "server_address"
  }

  /// The forms that clients write, in lower case: `HTTP/1.1`, or `h2` as browsers do.
  private static let versions: Set = ["http/1.0", "http/1.1", "http/2", "http/2.0", "http/3", "http/3.0", "h2", "h2c", "h3"]

  private static func isVersion(_ text: String) -> Bool { text.utf8.count <= 8 && versions.contains(text.lowercased()) }

  /// Whether a text is an IPv4 or IPv6 address, which HAR allows in brackets.
  private static func isAddress(_ text: String) -> Bool {
    let bare = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
    var address = in6_addr()
    return inet_pton(AF_INET, bare, &address) == 1 || inet_pton(AF_INET6, bare, &address) == 1
  }
}
