import Console

/// Validates proxy addresses, which libcurl then uses.
enum ProxyURL {
  /// The environment variables that libcurl reads for an `https` URL; the first one that is set wins.
  private static let names = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
  /// The kinds of proxy that libcurl supports.
  private static let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

  /// The flag's proxy as `http://host:port`; nil to use the environment's.
  ///
  /// Throws `StartFailure` (78) for an invalid address, without quoting it, because it may contain a password.
  static func resolve(flag: String?, variables: [String: String]) throws(StartFailure) -> String? {
    if let flag {
      guard let origin = Origin(flag.hasSuffix("/") ? String(flag.dropLast()) : flag), origin.scheme == "http" else {
        throw .configuration("--proxy: not http://host:port")
      }
      return "http://\(origin.host):\(origin.port)"
    }
    if let name = names.first(where: { variables[$0]?.isEmpty == false }), let text = variables[name], !isAddress(text) {
      throw .configuration("\(name): not a proxy address")
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
