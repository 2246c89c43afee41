import HTTPTypes
import Reactor
import Server

/// Turns away what a page in somebody's browser sends, whatever it asks for: an app sends no `Origin`, and reaches the backend
/// by an address or by a name of its own. No other part of a request could tell the two apart.
struct BrowserGate: Sendable {
  /// The host that links lead to, which is a name of the backend's too.
  let linkBase: LinkBase
  /// Whether `Host` must be an address or a known name; a certificate that was given says itself which names are right.
  let checksHost: Bool

  /// Throws `forbidden` for a page's request, and for a name that was made to lead here (DNS rebinding).
  func check(_ request: Request) throws(BackendFailure) {
    guard request.headers[.origin] == nil else { throw .forbidden }
    // A browser says `none` for an address that was typed.
    guard (request.headers[values: .secFetchSite].allSatisfy { $0 == "none" }) else { throw .forbidden }
    guard !checksHost || isKnown(request.host ?? "") else { throw .forbidden }
  }

  private func isKnown(_ authority: String) -> Bool {
    let host = LinkBase.host(ofAuthority: authority[...])
    let address = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    return host == "localhost" || host == linkBase.host || SocketAddress(host: address, port: 0) != nil
  }
}

extension HTTPField.Name {
  /// `Origin` (RFC 6454 §7).
  fileprivate static let origin = token("Origin")
  /// `Sec-Fetch-Site` (W3C Fetch Metadata).
  fileprivate static let secFetchSite = token("Sec-Fetch-Site")
}
