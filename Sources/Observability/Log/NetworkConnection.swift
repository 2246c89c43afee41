/// The connection over which a response came.
package struct NetworkConnection: Codable, Hashable, Sendable {
  /// The version of HTTP, such as `HTTP/1.1`; nil if it is unknown.
  package let httpVersion: String?
  /// The IP address that was connected, which is the proxy's if there is one; nil if it is unknown.
  package let serverAddress: String?

  /// Nil if neither is known; a text that is no version or no address is dropped, since both can come from a file.
  package init?(httpVersion: String?, serverAddress: String?) {
    self.httpVersion = httpVersion.flatMap { Self.isVersion($0) ? $0 : nil }
    self.serverAddress = serverAddress.flatMap { Self.isAddress($0) ? $0 : nil }
    if self.httpVersion == nil, self.serverAddress == nil { return nil }
  }

  private enum CodingKeys: String, CodingKey {
    case httpVersion = "http_version"
    case serverAddress = "server_address"
  }

  /// Whether a text has the form of `HTTP/1.1`, `HTTP/2` or, as browsers write it, `h2`.
  private static func isVersion(_ text: String) -> Bool {
    text.wholeMatch(of: /(HTTP|http)\/[0-9](\.[0-9])?|h[23]c?/) != nil
  }

  /// Whether a text has only the characters of an IPv4 or IPv6 address, which HAR allows in brackets.
  private static func isAddress(_ text: String) -> Bool {
    text.wholeMatch(of: /[0-9]{1,3}(\.[0-9]{1,3}){3}|\[?[0-9A-Fa-f:.]{2,45}\]?/) != nil
  }
}
