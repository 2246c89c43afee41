import HTTPTypes
import Reactor
import Server
import Wire

/// Refuses every request that comes from a web page: an app sends no `Origin`, and reaches the backend by address or by a known
/// name. Nothing else in a request tells the two apart.
struct BrowserGate: Sendable {
  /// Its host is also a name of the backend.
  let linkBase: LinkBase
  /// Whether `Host` must be an address or a known name; not needed with a given certificate, which lists the right names.
  let checksHost: Bool

  /// Throws `forbidden` for a request of a web page, and for a foreign host name (DNS rebinding).
  func check(_ request: Request) throws(BackendFailure) {
    guard request.headers[.origin] == nil else { throw .forbidden }
    // Browsers send `none` if the user typed the address.
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
  fileprivate static let origin = constant("Origin")
  /// `Sec-Fetch-Site` (W3C Fetch Metadata).
  fileprivate static let secFetchSite = constant("Sec-Fetch-Site")
}
