import ArgumentParser
import FoundationEssentials
import Glibc
import Logging
import Reactor
import Server

/// Serves a folder for any Host. Conformance tests, fuzzers, benchmarks and external test suites use it.
@main
struct Probe: AsyncParsableCommand {
  @Option(help: "Port to listen on; 0 picks a free one.") var port: UInt16 = 0
  @Option(help: "Folder to serve at /.") var root: String
  @Option(help: "Event loops.") var loops = 1
  @Option(help: "PEM file of the certificate.") var tlsCertificate: String?
  @Option(help: "PEM file of the private key.") var tlsKey: String?
  @Flag(help: "One line a request on standard error.") var accessLog = false

  /// Requires certificate and key together.
  func validate() throws {
    guard (tlsCertificate == nil) == (tlsKey == nil) else {
      throw ValidationError("--tls-certificate and --tls-key go together")
    }
  }

  /// Serves until SIGTERM or SIGINT, then drains for at most 10 s.
  func run() async throws {
    TLSLibrary.disableExitCleanup()
    var logger = Logger(label: "probe") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = accessLog ? .info : .warning
    let service = try ProbeService(root: root, logger: logger)
    var configuration = HTTPServer.Configuration(addresses: [("127.0.0.1", port)])
    configuration.loops = loops
    configuration.limits.body = ProbeService.bodyLimit
    configuration.limits.connections = 65_536
    configuration.tls = try tls()
    configuration.accessLog = accessLog ? logger : nil
    configuration.inlineResponder = { service.ready($0, $1) }
    let server = HTTPServer(configuration: configuration, logger: logger) { await service.respond($0) }
    let signals = await SignalStream.catching(SIGTERM, SIGINT)
    let bound = try await server.start()[0]
    print("probe ready \(configuration.tls == nil ? "http" : "https")://127.0.0.1:\(bound.port)")
    fflush(nil)
    await signals.next()
    service.stop()
    await server.stop(within: .seconds(10))
  }

  private func tls() throws -> TLSContext? {
    guard let tlsCertificate, let tlsKey else { return nil }
    return try TLSContext(certificatePEM: Self.text(tlsCertificate), privateKeyPEM: Self.text(tlsKey))
  }

  private static func text(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
  }
}
