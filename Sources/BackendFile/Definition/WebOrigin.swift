import Text

/// An `https` origin: host and port.
package struct WebOrigin: Hashable, Sendable {
  /// In lower case.
  package let host: String
  package let port: Int

  package init(host: String, port: Int = 443) {
    self.host = host.lowercased()
    self.port = port
  }

  /// Reads a URL such as `https://id.example:8443/token?x`; returns the text after the origin too.
  ///
  /// Nil for another scheme, user information, or an invalid host or port.
  package static func read(_ url: some StringProtocol) -> (origin: WebOrigin, rest: String)? {
    let scheme = "https://"
    guard url.lowercased().hasPrefix(scheme) else { return nil }
    let authority = url.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
    guard let origin = WebOrigin(authority: authority) else { return nil }
    return (origin, String(url.dropFirst(scheme.count + authority.count)))
  }

  /// Reads `host` or `host:port`, without user information.
  package init?(authority: some StringProtocol) {
    let sides = authority.split(separator: ":", omittingEmptySubsequences: false)
    guard let host = sides.first, sides.count <= 2 else { return nil }
    let labels = Array(host.utf8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard host.utf8.count <= 253, labels.allSatisfy({ ASCII.isHostLabel($0) }) else { return nil }
    guard sides.count == 2 else {
      self.init(host: String(host))
      return
    }
    guard sides[1].utf8.count <= 5, sides[1].utf8.allSatisfy(ASCII.isDigit), let port = Int(sides[1]), (1...65_535).contains(port)
    else { return nil }
    self.init(host: String(host), port: port)
  }

  /// `id.example`, or `id.example:8443`.
  package var authority: String { port == 443 ? host : "\(host):\(port)" }

  package var text: String { "https://\(authority)" }
}

/// A host that requests may be sent to, as `--backend-file-host` names it: with a port, or at any.
package struct AllowedHost: Hashable, Sendable {
  private let origin: WebOrigin
  private let isAnyPort: Bool

  /// Nil for a text that is not a host name with an optional port.
  package init?(_ text: String) {
    guard let origin = WebOrigin(authority: text) else { return nil }
    self.origin = origin
    isAnyPort = !text.contains(":")
  }

  package func allows(_ other: WebOrigin) -> Bool { isAnyPort ? other.host == origin.host : other == origin }
}
