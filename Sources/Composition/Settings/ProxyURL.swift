import Console

/// Checks the addresses of proxies; libcurl finds its way by them (contract §1).
enum ProxyURL {
  /// The variables that libcurl asks for an `https` address, the first that is set winning.
  private static let names = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
  /// The kinds of proxy that libcurl speaks to.
  private static let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

  /// The flag's proxy as `http://host:port`; nil to leave it to the environment.
  ///
  /// Throws `StartFailure` (78) for what is no proxy's address, without quoting it: it may hold a password.
  static func resolve(flag: String?, variables: [String: String]) throws(StartFailure) -> String? {
    if let flag {
      guard let origin = Origin(flag.hasSuffix("/") ? String(flag.dropLast()) : flag), origin.scheme == "http" else {
        throw .configuration("--proxy: it is not http://host:port")
      }
      return "http://\(origin.host):\(origin.port)"
    }
    if let name = names.first(where: { variables[$0]?.isEmpty == false }), let text = variables[name], !isAddress(text) {
      throw .configuration("\(name): it is not the address of a proxy")
    }
    return nil
  }

  /// Whether the text is `[scheme://][user[:password]@]host[:port]`, as libcurl reads it.
  static func isAddress(_ text: String) -> Bool {
    var rest = text[...]
    if let mark = rest.firstRange(of: "://") {
      guard schemes.contains(rest[..<mark.lowerBound].lowercased()) else { return false }
      rest = rest[mark.upperBound...]
    }
    if let at = rest.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
    if rest.hasSuffix("/") { rest.removeLast() }
    return Origin(scheme: "http", authority: String(rest)) != nil
  }
}
