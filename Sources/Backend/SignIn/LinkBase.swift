import Locking
import Text

/// The origin that links in messages lead to: the console's, known only once it listens; never taken from a request's `Host`.
final class LinkBase: Sendable {
  private let origin: Locked<String>

  /// Begins with an origin such as `http://localhost:8080`.
  init(_ origin: String) { self.origin = Locked(Self.trimmed(origin)) }

  /// Takes another origin from now on.
  func set(_ origin: String) { self.origin.withLock { $0 = Self.trimmed(origin) } }

  /// `<base>/callback#token=…&state=…`: a fragment, since those are not sent to servers.
  func link(token: String, state: String?) -> String {
    let state = state.map { "&state=\(PercentCoding.encode($0))" } ?? ""
    return "\(origin.withLock { $0 })/callback#token=\(token)\(state)"
  }

  /// The origin's host in lower case, without its port.
  var host: String {
    let origin = origin.withLock { $0 }
    let authority = origin.firstRange(of: "://").map { origin[$0.upperBound...] } ?? origin[...]
    return Self.host(ofAuthority: authority.prefix { $0 != "/" })
  }

  /// The host of `host[:port]` in lower case; an IPv6 address keeps its brackets.
  static func host(ofAuthority whole: Substring) -> String {
    if whole.hasPrefix("["), let end = whole.firstIndex(of: "]") { return whole[...end].lowercased() }
    return whole.prefix { $0 != ":" }.lowercased()
  }

  private static func trimmed(_ origin: String) -> String { origin.hasSuffix("/") ? String(origin.dropLast()) : origin }
}
