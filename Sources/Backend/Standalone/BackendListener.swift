import HTTPTypes
package import Logging
import Reactor
import Server
package import Vault
import Wire

/// A backend that listens for HTTPS connections on its own addresses.
package struct BackendListener: Sendable {
  /// The source of the certificate.
  package enum Identity: Sendable {
    /// `certificate.pem` and `private-key.pem` in a folder, both 0600, created at the first start.
    case folder(String)
    /// The pair of the backends that share the database, sealed in it by the first of them.
    case shared
    /// A new certificate for this run.
    case ephemeral
    case given(ServerCertificate)

    /// Whether the backend created it, which it does for loopback names only.
    var isSelfMade: Bool {
      if case .given = self { false } else { true }
    }
  }

  /// The first address with its actual port, such as `https://127.0.0.1:8443`.
  package let origin: String
  /// The SHA-256 digest of the certificate's public key, as `sha256/` and Base64.
  package let pin: String
  /// The certificate, which clients also use as its trust anchor.
  package let certificatePEM: String

  private let server: HTTPServer

  /// Starts to listen; the default is a free port of 127.0.0.1. `isStandalone` adds the routes of `StandaloneBackend`.
  ///
  /// Throws `certificate` if the identity cannot be used or stored in its folder, `database` if not in the database, `listener` if an address cannot be bound.
  package static func start(
    _ backend: ReferenceBackend, identity: Identity, addresses: [(host: String, port: UInt16)] = [("127.0.0.1", 0)],
    loops: Int = 1, logger: Logger, developerToken: String? = nil, isStandalone: Bool = false
  ) async throws(BackendStartError) -> BackendListener {
    let (certificate, tls) = try await context(identity, backend)
    var configuration = HTTPServer.Configuration(addresses: addresses)
    configuration.loops = loops
    configuration.tls = tls
    configuration.limits.body = ReferenceBackend.bodyLimit
    configuration.responseHeaders = [.xContentTypeOptions: "nosniff", .cacheControl: "no-store"]
    let dialect = backend.services.dialect
    configuration.refusal = { dialect.rewriting(refusal($0.status)) }
    let standalone = isStandalone ? StandaloneBackend(backend, developerToken: developerToken) : nil
    let gate = BrowserGate(linkBase: backend.services.linkBase, checksHost: identity.isSelfMade)
    let server = HTTPServer(configuration: configuration, logger: logger) { request in
      // Browsers may open this page, because sign-in links lead to it.
      if !isStandalone || request.path != StandaloneBackend.callbackPath {
        do throws(BackendFailure) { try gate.check(request) } catch {
          return dialect.rewriting(
            error.response(
              to: CallHead(method: request.method, path: request.path, query: request.query, fields: request.headers)))
        }
      }
      return if let standalone { await standalone.respond(request) } else { await backend.respond(request) }
    }
    do {
      let bound = try await server.start()
      guard let first = bound.first else { throw BackendStartError.listener("no address") }
      let host = first.isIPv6 ? "[\(first.host)]" : first.host
      return BackendListener(
        origin: "https://\(host):\(first.port)", pin: try certificate.pin, certificatePEM: certificate.certificatePEM,
        server: server)
    } catch {
      throw error as? BackendStartError ?? .listener("\(error)")
    }
  }

  /// Stops listening; open requests may take up to `limit`.
  package func stop(within limit: Duration = .seconds(10)) async { await server.stop(within: limit) }

  private static func context(
    _ identity: Identity, _ backend: ReferenceBackend
  ) async throws(BackendStartError) -> (ServerCertificate, TLSContext) {
    switch identity {
    case .given(let certificate):
      return (certificate, try tls(certificate))
    case .shared:
      let certificate = try await ServerIdentity.shared(backend.services.storage, key: backend.sealing)
      return (certificate, try tls(certificate))
    case .ephemeral:
      let certificate = try ServerIdentity.make()
      return (certificate, try tls(certificate))
    case .folder(let folder):
      if let stored = try ServerIdentity.load(folder: folder), let context = try? tls(stored) { return (stored, context) }
      let made = try ServerIdentity.make()
      try ServerIdentity.store(made, folder: folder)
      return (made, try tls(made))
    }
  }

  private static func tls(_ certificate: ServerCertificate) throws(BackendStartError) -> TLSContext {
    do {
      return try TLSContext(certificatePEM: certificate.certificatePEM, privateKeyPEM: certificate.privateKeyPEM)
    } catch {
      throw .certificate("\(error)")
    }
  }

  /// Returns the response to a request that the HTTP server rejected.
  private static func refusal(_ status: HTTPResponse.Status) -> Response {
    let failure: BackendFailure =
      switch status.code {
      case 413: .payloadTooLarge
      case 500: .internal
      case 503: .unavailable
      default: .malformed(status)
      }
    return failure.response(to: CallHead(method: .get, path: "", fields: HTTPFields()))
  }
}

/// Rejects every request from a web page: an app sends no `Origin`, and reaches the backend by address or by a known name. No
/// other part of a request distinguishes the two.
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
