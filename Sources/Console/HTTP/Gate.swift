package import HTTPTypes
import Wire
import Text

/// Decides from a request's head whether it may go on to its route.
///
/// Every page that the browser shows can reach a console on localhost, for example with a name that resolves to it, a form or
/// an image. The gate therefore checks which host a request names, which origin it comes from, and what it carries.
package struct Gate: Sendable {
  /// What the gate reads of a request.
  package struct Caller: Sendable {
    package let method: HTTPRequest.Method
    package let path: String
    package let headers: HTTPFields
    package let isTLS: Bool
    package let hasBody: Bool

    package init(method: HTTPRequest.Method, path: String, headers: HTTPFields, isTLS: Bool, hasBody: Bool) {
      self.method = method
      self.path = path
      self.headers = headers
      self.isTLS = isTLS
      self.hasBody = hasBody
    }
  }

  /// The decision about a request.
  package enum Verdict: Hashable, Sendable {
    /// It may go on to its route.
    case pass
    /// It names another host: 421 without a body.
    case misdirected
    /// It asks for a page under another name of this machine: 307 to the name that cookies and keys belong to.
    case redirect(to: String)
    /// It is refused.
    case refuse(Problem)
  }

  private let accepted: Set<Origin>
  /// The accepted origins by scheme and by the authority that a browser sends, so that the common case is one look-up.
  private let byAuthority: [String: [String: Origin]]
  private let home: Origin
  private let publicOrigins: Set<Origin>
  private let isBehindProxy: Bool

  /// A gate for a console that listens on the port; `home` is the origin of the ready line.
  ///
  /// Accepted are the public origins, and the loopback names on the port and on that of `home` (a container's published port).
  /// Behind a proxy that ends TLS, requests for an `https` origin arrive in the clear, so `http` requests match it too.
  package init(home: Origin, listeningPort: UInt16, publicOrigins: [Origin], isBehindProxy: Bool) {
    var accepted: Set<Origin> = []
    for port in [home.port, listeningPort] {
      for host in ["localhost", "127.0.0.1", "[::1]"] { accepted.insert(Origin(scheme: home.scheme, host: host, port: port)) }
    }
    accepted.formUnion(publicOrigins)
    self.accepted = accepted
    byAuthority = Dictionary(grouping: accepted, by: \.scheme).mapValues { origins in
      Dictionary(origins.map { ($0.authority, $0) }) { first, _ in first }
    }
    self.home = home
    self.publicOrigins = Set(publicOrigins)
    self.isBehindProxy = isBehindProxy
  }

  /// The accepted origins that requests can name, by whether they arrive encrypted.
  func origins(isTLS: Bool) -> [Origin] {
    let schemes = schemes(isTLS: isTLS)
    return accepted.filter { schemes.contains($0.scheme) }
  }

  private func schemes(isTLS: Bool) -> [String] { isBehindProxy && !isTLS ? ["http", "https"] : [isTLS ? "https" : "http"] }

  /// Whether the origin is that of the ready line.
  func isHome(_ origin: Origin) -> Bool { origin == home }

  /// Decides about a request before its route is looked up.
  package func judge(_ caller: Caller) -> Verdict {
    guard let own = origin(of: caller) else { return .misdirected }
    if caller.path.hasPrefix("/api/") || caller.path == "/api" { return judgeCall(caller, own: own) }
    if caller.headers[.secFetchDest] == "document", caller.method == .get || caller.method == .head, caller.path.hasPrefix("/"),
      own != home, own.isLoopback, home.isLoopback, !publicOrigins.contains(own)
    {
      return .redirect(to: home.text + caller.path)
    }
    return .pass
  }

  private func judgeCall(_ caller: Caller, own: Origin) -> Verdict {
    let origins = caller.headers[values: .origin]
    guard origins.count <= 1 else { return .refuse(.originRefused) }
    if let origin = origins.first, Origin(origin) != own { return .refuse(.originRefused) }
    switch caller.headers[.secFetchSite] {
    case nil, "same-origin": break
    case "none" where caller.method == .get || caller.method == .head: break
    default: return .refuse(.originRefused)
    }
    let isArchive = caller.path == RecordingImport.path && caller.headers[values: .contentType] == ["application/zip"]
    if caller.hasBody, !isArchive, !Self.isJSON(caller.headers[values: .contentType]) { return .refuse(.unsupportedMediaType) }
    return .pass
  }

  /// The accepted origin that the request's `Host` names; nil if it names none.
  private func origin(of caller: Caller) -> Origin? {
    guard let authority = caller.headers[.host] else { return nil }
    let schemes = schemes(isTLS: caller.isTLS)
    for scheme in schemes {
      if let origin = byAuthority[scheme]?[authority] { return origin }
      if let origin = Origin(scheme: scheme, authority: authority), accepted.contains(origin) { return origin }
    }
    return nil
  }

  /// Whether the only media type is `application/json`, with no charset but UTF-8 (RFC 8259 §11).
  private static func isJSON(_ values: [String]) -> Bool {
    guard values.count == 1, let value = values.first else { return false }
    let parts = value.split(separator: ";", omittingEmptySubsequences: false).map {
      $0.trimmingWhitespace.lowercased()
    }
    guard parts.first == "application/json" else { return false }
    return parts.dropFirst().allSatisfy { $0 == "charset=utf-8" || $0 == "charset=\"utf-8\"" }
  }
}

extension HTTPField.Name {
  /// The header by which a page names its device.
  package static let deviceKey = constant("X-Device-Key")
  static let secFetchSite = constant("Sec-Fetch-Site")
  static let secFetchDest = constant("Sec-Fetch-Dest")
  static let origin = constant("Origin")
  static let clearSiteData = constant("Clear-Site-Data")
}
