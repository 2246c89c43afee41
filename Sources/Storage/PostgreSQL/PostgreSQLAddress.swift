import FoundationEssentials

/// The address of a PostgreSQL database: `postgres://user@host:port/name`, with libpq's parameters for TLS.
package struct PostgreSQLAddress: Hashable, Sendable {
  /// Why a text is not an address, or not a safe one.
  package enum Failure: Error, Hashable, Sendable {
    case malformed(String)
    /// The address is on another machine, whose identity would not be verified.
    case unprotected
  }

  /// The parameters that a URL may have.
  private static let allowed: Set = ["host", "sslmode", "sslrootcert", "sslcert", "sslkey", "connect_timeout"]

  /// The time limit for connecting, for all addresses of the host together.
  private static let connectSeconds = 1...60

  /// libpq's keywords and values; no password.
  let keywords: [String: String]
  /// The time limit for connecting in seconds; 5 unless `connect_timeout` is given.
  let connectSeconds: Int
  /// The address without the user, for messages.
  package let shown: String

  /// Reads a URL; throws ``Failure``.
  ///
  /// A URL must not contain a password, because the list of processes would show it. For other machines, TLS with `verify-full` is
  /// required and the default.
  package init(_ text: String) throws(Failure) {
    guard let parts = URLComponents(string: text), parts.scheme == "postgres" || parts.scheme == "postgresql" else {
      throw .malformed("not postgres://user@host:port/name")
    }
    guard parts.password == nil else { throw .malformed("a password must be in a file, not in the address") }
    let name = parts.path.drop { $0 == "/" }
    guard !name.isEmpty, !name.contains("/") else { throw .malformed("the name of the database is missing") }
    var keywords = ["dbname": String(name), "host": parts.host ?? "", "port": parts.port.map(String.init) ?? "5432"]
    if let user = parts.user, !user.isEmpty { keywords["user"] = user }
    for item in parts.queryItems ?? [] {
      guard Self.allowed.contains(item.name), let value = item.value, !value.isEmpty else {
        throw .malformed("the parameter \(item.name) is not one of \(Self.allowed.sorted().joined(separator: ", "))")
      }
      keywords[item.name] = value
    }
    var host = keywords["host"] ?? ""
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    keywords["host"] = host
    guard !host.isEmpty else { throw .malformed("the host is missing") }
    // libpq accepts a list of hosts, but only the first would be checked here.
    guard !host.utf8.contains(UInt8(ascii: ",")) else { throw .malformed("only one host is allowed") }
    let seconds = keywords.removeValue(forKey: "connect_timeout") ?? "5"
    guard let connectSeconds = Int(seconds), Self.connectSeconds.contains(connectSeconds) else {
      throw .malformed("connect_timeout is not between \(Self.connectSeconds.lowerBound) and \(Self.connectSeconds.upperBound)")
    }
    self.connectSeconds = connectSeconds
    if !Self.isLocal(host) {
      guard keywords["sslmode", default: "verify-full"] == "verify-full" else { throw .unprotected }
      keywords["sslmode"] = "verify-full"
      // Use the machine's own certificate authorities.
      if keywords["sslrootcert"] == nil { keywords["sslrootcert"] = "/etc/ssl/certs/ca-certificates.crt" }
    }
    self.keywords = keywords
    shown = "\(host.hasPrefix("/") ? host : "\(host):\(keywords["port"] ?? "")")/\(name)"
  }

  /// A folder of sockets, or a loopback address.
  private static func isLocal(_ host: String) -> Bool {
    if host.hasPrefix("/") || host == "localhost" || host == "::1" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}
