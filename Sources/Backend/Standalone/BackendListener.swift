import HTTPTypes
package import Logging
import RPC
import Reactor
import Server
package import Vault

/// A backend that listens: HTTPS on addresses of its own, told apart from any other by its pin.
package struct BackendListener: Sendable {
  /// Where the certificate comes from.
  package enum Identity: Sendable {
    /// `certificate.pem` and `private-key.pem` of a folder, both 0600, made at first run.
    case folder(String)
    /// Made anew for this run.
    case ephemeral
    /// Given.
    case given(ServerCertificate)

    /// Whether the backend made it, for loopback names alone.
    var isOwn: Bool {
      if case .given = self { false } else { true }
    }
  }

  /// `https://127.0.0.1:port`: the first address with its real port.
  package let origin: String
  /// `sha256/…` of the certificate's public key, in base 64.
  package let pin: String
  /// The certificate, which serves as its own trust anchor.
  package let certificatePEM: String

  private let server: HTTPServer

  /// Listens and answers with `backend`, alone with `StandaloneBackend`'s own routes; the defaults are those of the embedded one: a free port of 127.0.0.1.
  ///
  /// Throws `certificate` where the identity cannot be used or kept, `listener` where an address cannot be listened on.
  package static func start(
    _ backend: ReferenceBackend, identity: Identity, addresses: [(host: String, port: UInt16)] = [("127.0.0.1", 0)],
    loops: Int = 1, logger: Logger, developerToken: String? = nil, isStandalone: Bool = false
  ) async throws(BackendError) -> BackendListener {
    let (certificate, tls) = try context(identity)
    var configuration = HTTPServer.Configuration(addresses: addresses)
    configuration.loops = loops
    configuration.tls = tls
    configuration.limits.body = ReferenceBackend.bodyLimit
    configuration.responseHeaders = [.xContentTypeOptions: "nosniff", .cacheControl: "no-store"]
    configuration.refusal = { refusal($0.status) }
    let standalone = isStandalone ? StandaloneBackend(backend, developerToken: developerToken) : nil
    let gate = BrowserGate(linkBase: backend.services.linkBase, checksHost: identity.isOwn)
    let server = HTTPServer(configuration: configuration, logger: logger) { request in
      // The page that links lead to is what a browser is meant to open.
      if !isStandalone || request.path != StandaloneBackend.callbackPath {
        do throws(BackendFailure) { try gate.check(request) } catch {
          return error.response(
            to: CallHead(method: request.method, path: request.path, query: request.query, fields: request.headers))
        }
      }
      return if let standalone { await standalone.respond(request) } else { await backend.respond(request) }
    }
    do {
      let bound = try await server.start()
      guard let first = bound.first else { throw BackendError.listener("no address") }
      let host = first.isIPv6 ? "[\(first.host)]" : first.host
      return BackendListener(
        origin: "https://\(host):\(first.port)", pin: try certificate.pin, certificatePEM: certificate.certificatePEM,
        server: server)
    } catch {
      throw error as? BackendError ?? .listener("\(error)")
    }
  }

  /// Stops listening; what is under way may take up to `limit`.
  package func stop(within limit: Duration = .seconds(10)) async { await server.stop(within: limit) }

  private static func context(_ identity: Identity) throws(BackendError) -> (ServerCertificate, TLSContext) {
    switch identity {
    case .given(let certificate):
      return (certificate, try tls(certificate))
    case .ephemeral:
      let certificate = try ServerIdentity.make()
      return (certificate, try tls(certificate))
    case .folder(let folder):
      if let kept = try ServerIdentity.load(folder: folder), let context = try? tls(kept) { return (kept, context) }
      let made = try ServerIdentity.make()
      try ServerIdentity.keep(made, folder: folder)
      return (made, try tls(made))
    }
  }

  private static func tls(_ certificate: ServerCertificate) throws(BackendError) -> TLSContext {
    do {
      return try TLSContext(certificatePEM: certificate.certificatePEM, privateKeyPEM: certificate.privateKeyPEM)
    } catch {
      throw .certificate("\(error)")
    }
  }

  /// A request that was broken before it was a call, in the contract's shape.
  private static func refusal(_ status: HTTPResponse.Status) -> Response {
    let failure: BackendFailure =
      switch status.code {
      case 413: .payloadTooLarge
      case 500: .internal
      case 503: .unavailable
      default: .broken(status)
      }
    return failure.response(to: CallHead(method: .get, path: "", fields: HTTPFields()))
  }
}
