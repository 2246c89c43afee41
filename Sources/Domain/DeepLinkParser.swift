import FoundationEssentials

/// Parses deep links of trusted hosts (seed-rules N-61 "deep link parser", A-62 "trusted domains").
package struct DeepLinkParser: Sendable {
  private let trustedHosts: Set<String>

  /// Creates a parser that trusts the hosts; a host with a port is trusted on that port only, a host without one on every port.
  package init(trustedHosts: [String]) {
    self.trustedHosts = Set(trustedHosts.map { $0.lowercased() })
  }

  /// Parses the link in a text: a link alone, or a message that contains one.
  ///
  /// Throws `AuthError.linkUntrusted` if the host is not trusted, `AuthError.linkIncomplete` if the link was cut, and
  /// `AuthError.loginLinkInvalid` if the text has no such link.
  package func parse(_ text: String) throws(AuthError) -> DeepLink {
    guard let first = try links(in: text).first else { throw .loginLinkInvalid }
    return first
  }

  /// The possible readings of a text as links, those with a `state` first: a wrapped link may continue after a blank, or end
  /// there.
  ///
  /// Throws the errors of `parse(_:)`, and returns at least one link.
  package func links(in text: String) throws(AuthError) -> [DeepLink] {
    guard text.utf8.count <= LinkText.maximumBytes else { throw .loginLinkInvalid }
    var links: [DeepLink] = []
    var failure: AuthError?
    for candidate in LinkText.candidates(in: text) {
      do {
        let link = try link(at: candidate)
        if !links.contains(link) { links.append(link) }
      } catch {
        // A link of another kind may precede the intended one.
        if failure == nil || failure == .loginLinkInvalid { failure = error }
      }
    }
    guard !links.isEmpty else { throw failure ?? .loginLinkInvalid }
    return links.filter { $0.state != nil } + links.filter { $0.state == nil }
  }

  /// Reads `token` and `state` from the fragment of a `/callback` link, or from its query if the fragment has no token; accepts
  /// `http` on loopback hosts only.
  private func link(at text: String) throws(AuthError) -> DeepLink {
    guard text.utf8.count <= 4096, let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
      let host = parts.host?.lowercased(), !host.isEmpty
    else { throw .loginLinkInvalid }
    guard parts.user == nil, parts.password == nil else { throw .linkUntrusted }
    let isLoopback = ["localhost", "127.0.0.1", "[::1]", "::1"].contains(host)
    guard scheme == "https" || (scheme == "http" && isLoopback) else { throw .linkUntrusted }
    let authority = parts.port.map { "\(host):\($0)" } ?? host
    guard trustedHosts.contains(authority) || trustedHosts.contains(host) else { throw .linkUntrusted }
    guard parts.path == "/callback" else { throw .loginLinkInvalid }
    let values = Self.pairs(parts.percentEncodedFragment) ?? Self.pairs(parts.percentEncodedQuery)
    guard let values, let token = values["token"] else {
      throw Self.isCut(parts.percentEncodedFragment ?? parts.percentEncodedQuery) ? .linkIncomplete : .loginLinkInvalid
    }
    do {
      return try DeepLink(token: token, state: values["state"])
    } catch {
      throw token.utf8.count < DeepLink.tokenLengths.lowerBound || values["state"] == "" ? .linkIncomplete : error
    }
  }

  /// Whether the text ends within the name of the token or right after it.
  private static func isCut(_ text: String?) -> Bool { text.map { "token=".hasPrefix($0) } ?? true }

  /// The `name=value` pairs of a query or fragment; nil if there is no token or a name occurs twice.
  ///
  /// Values are not decoded: tokens consist of unreserved characters, which are never encoded.
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
