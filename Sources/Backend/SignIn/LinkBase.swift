import Locking
import Text

/// The origin of sign-in links: that of the console, known once it listens. Never taken from the `Host` of a request.
final class LinkBase: Sendable {
  private let origin: Locked<String>

  /// Creates a base from an origin such as `http://localhost:8080`.
  init(_ origin: String) { self.origin = Locked(Self.trimmed(origin)) }

  func set(_ origin: String) { self.origin.withLock { $0 = Self.trimmed(origin) } }

  /// Returns `<origin>/callback#token=…&state=…`; browsers do not send a fragment to the server.
  func link(token: String, state: String?) -> String {
    let state = state.map { "&state=\(PercentCoding.encode($0))" } ?? ""
    return "\(origin.withLock { $0 })/callback#token=\(token)\(state)"
  }

  /// The host of the origin in lower case, without the port.
  var host: String {
    let origin = origin.withLock { $0 }
    let authority = origin.firstRange(of: "://").map { origin[$0.upperBound...] } ?? origin[...]
    return Self.host(ofAuthority: authority.prefix { $0 != "/" })
  }

  /// Returns the host of `host[:port]` in lower case; an IPv6 address keeps its brackets.
  static func host(ofAuthority whole: Substring) -> String {
    if whole.hasPrefix("["), let end = whole.firstIndex(of: "]") { return whole[...end].lowercased() }
    return whole.prefix { $0 != ":" }.lowercased()
  }

  private static func trimmed(_ origin: String) -> String { origin.hasSuffix("/") ? String(origin.dropLast()) : origin }
}
