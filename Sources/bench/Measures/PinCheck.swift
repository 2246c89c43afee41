import Client
import HTTPTypes
import Observability

/// Measures how much pinning adds to a full TLS handshake.
enum PinCheck {
  private static let pairs = 200

  /// Alternates handshakes with and without pins, each with a new transport, so that no session is resumed.
  static func measure() async throws -> [Figure] {
    let server = try BenchmarkServer { _, _ in .respond(BenchmarkServer.json(Array("{}".utf8))) }
    guard let pin = SPKIPin(server.pin) else { throw MeasureError("no pin") }
    var pinned: [Duration] = []
    var plain: [Duration] = []
    for _ in 0..<pairs {
      plain.append(try await handshake(server, pins: []))
      pinned.append(try await handshake(server, pins: [pin]))
    }
    await server.stop()
    let with = Quantiles(pinned)(0.5)
    let without = Quantiles(plain)(0.5)
    return [
      Figure(
        work: "pin check a handshake", goal: "≤ 50 µs",
        measured: "\(Figure.number(with - without)) µs (\(Figure.number(without)) → \(Figure.number(with)))",
        isMet: with - without <= 50)
    ]
  }

  private static func handshake(_ server: BenchmarkServer, pins: Set<SPKIPin>) async throws -> Duration {
    let curl = try CurlTransport(TransportConfiguration(trust: .pem(server.certificatePEM), pins: pins, proxy: .none))
    let response = try await curl.send(TransportRequest(method: .get, url: server.origin + "/", isReplayable: true))
    await curl.shutdown()
    return .milliseconds(response.timings.tls ?? 0)
  }
}
