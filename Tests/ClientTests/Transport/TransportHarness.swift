import HTTPTypes
import Vault

@testable import Client

/// A scripted server and a transport that trusts it; `close()` shuts both down.
struct TransportHarness {
  let server: ScriptedTLSServer
  let transport: CurlTransport

  init(
    _ identity: TLSIdentity? = nil, trust: String? = nil, pins: Set<SPKIPin> = [], connectTimeout: Duration = .seconds(10),
    responseLimit: Int = 1 << 20, unsafeReuseAge: Duration = .seconds(50),
    script: @escaping @Sendable (ScriptedConnection) -> Void
  ) throws {
    let identity = try identity ?? TestCertificates.selfSigned()
    server = try ScriptedTLSServer(identity, script: script)
    var configuration = TransportConfiguration(
      trust: .pem(trust ?? identity.certificatePEM), pins: pins, proxy: .none, connectTimeout: connectTimeout,
      responseLimit: responseLimit)
    configuration.unsafeReuseAge = unsafeReuseAge
    transport = try CurlTransport(configuration)
  }

  /// Uses an existing server and transport.
  init(server: ScriptedTLSServer, transport: CurlTransport) {
    self.server = server
    self.transport = transport
  }

  /// Sends a request to the server.
  func send(
    _ method: HTTPRequest.Method = .get, _ path: String = "/", headers: HTTPFields = [:], body: [UInt8]? = nil,
    idleTimeout: Duration = .seconds(30), within: Duration = .seconds(60), isReplayable: Bool = false
  ) async throws(TransportError) -> TransportResponse {
    try await transport.send(
      TransportRequest(
        method: method, url: server.url + path, headers: headers, body: body, idleTimeout: idleTimeout, deadline: .now + within,
        isReplayable: isReplayable))
  }

  /// Shuts down the transport, then the server.
  func close() async {
    await transport.shutdown()
    server.stop()
  }

  /// Runs `body`, then shuts down both.
  func use(_ body: (TransportHarness) async throws -> Void) async throws {
    do {
      try await body(self)
    } catch {
      await close()
      throw error
    }
    await close()
  }
}
