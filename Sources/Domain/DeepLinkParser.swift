import FoundationEssentials

/// Reads deep links, from trusted hosts only (seed 002 §7).
package struct DeepLinkParser: Sendable {
  private let trustedHosts: Set<String>

  /// Makes a parser that trusts the hosts; a host with a port is trusted on that port alone, one without on any.
  package init(trustedHosts: [String]) {
    self.trustedHosts = Set(trustedHosts.map { $0.lowercased() })
  }

  /// Reads `token` and `state` from the fragment of a `/callback` link, or else from its query.
  ///
  /// Plain `http` is accepted on loopback hosts only. Throws `AuthError.linkUntrusted` for a host that is not trusted, and
  /// `AuthError.loginLinkInvalid` for what is not such a link.
  package func parse(_ text: String) throws(AuthError) -> DeepLink {
    guard text.utf8.count <= 4096, let parts = URLComponents(string: text.trimmed), let scheme = parts.scheme?.lowercased(),
      let host = parts.host?.lowercased(), !host.isEmpty
    else { throw .loginLinkInvalid }
    guard parts.user == nil, parts.password == nil else { throw .linkUntrusted }
    let isLoopback = ["localhost", "127.0.0.1", "[::1]", "::1"].contains(host)
    guard scheme == "https" || (scheme == "http" && isLoopback) else { throw .linkUntrusted }
    let authority = parts.port.map { "\(host):\($0)" } ?? host
    guard trustedHosts.contains(authority) || trustedHosts.contains(host) else { throw .linkUntrusted }
    guard parts.path == "/callback" else { throw .loginLinkInvalid }
    let values = Self.pairs(parts.percentEncodedFragment) ?? Self.pairs(parts.percentEncodedQuery)
    guard let values, let token = values["token"] else { throw .loginLinkInvalid }
    return try DeepLink(token: token, state: values["state"])
  }

  /// The pairs of a `a=b&c=d` text where it has a token; nil where a name stands twice.
  ///
  /// Values stay as they are: tokens are of the unreserved alphabet, which nothing needs to encode.
  private static func pairs(_ text: String?) -> [String: String]? {
    guard let text, !text.isEmpty else { return nil }
    var values: [String: String] = [:]
    for pair in text.split(separator: "&") {
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard halves.count == 2 else { continue }
      guard values.updateValue(String(halves[1]), forKey: String(halves[0])) == nil else { return nil }
    }
    return values["token"] == nil ? nil : values
  }
}
