import Glibc
import HTTPTypes
import Testing

@testable import Client

@Suite(.timeLimit(.minutes(1))) struct CurlTransportProxyTests {
  /// Whether the transport reached a server through a proxy from the environment, where nobody listens.
  private static func reaches(_ proxy: TransportConfiguration.Proxy) async throws -> TransportError? {
    let identity = try TestCertificates.selfSigned()
    let server = try ScriptedTLSServer(identity) { connection in connection.serve { _ in connection.respond() } }
    let nobody = try ScriptedTLSServer(identity) { _ in }
    nobody.stop()
    setenv("https_proxy", "http://127.0.0.1:\(nobody.port)", 1)
    unsetenv("no_proxy")
    unsetenv("NO_PROXY")
    let transport = try CurlTransport(TransportConfiguration(trust: .pem(identity.certificatePEM), proxy: proxy))
    var failure: TransportError?
    do throws(TransportError) {
      _ = try await transport.send(TransportRequest(method: .get, url: server.url))
    } catch {
      failure = error
    }
    await transport.shutdown()
    server.stop()
    return failure
  }

  // In child processes, since all tests share one environment.

  @Test func noneGoesStraightWhateverTheEnvironmentSays() async {
    await #expect(processExitsWith: .success) {
      try #require(await CurlTransportProxyTests.reaches(.none) == nil)
    }
  }

  @Test func theEnvironmentsProxyIsHonoured() async {
    await #expect(processExitsWith: .success) {
      try #require(await CurlTransportProxyTests.reaches(.environment) == .offline(kind: .cannotConnect))
    }
  }

  @Test func aGivenProxyIsAskedToConnect() async throws {
    let harness = try TransportHarness { connection in
      // The proxy is the same script without TLS: it reads nothing and refuses.
      connection.writeRaw("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
      connection.waitForEnd()
    }
    let transport = try CurlTransport(TransportConfiguration(proxy: .url("http://127.0.0.1:\(harness.server.port)")))
    await #expect(throws: TransportError.connectionLost(mayHaveBeenProcessed: false)) {
      try await transport.send(TransportRequest(method: .get, url: "https://127.0.0.1:9/"))
    }
    #expect(harness.server.connections == 1)
    await transport.shutdown()
    await harness.close()
  }
}
