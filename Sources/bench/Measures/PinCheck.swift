import Client
import HTTPTypes

/// What the check of pins adds to a full handshake.
enum PinCheck {
  private static let pairs = 200

  /// Alternates first handshakes with pins and without, each with a transport of its own, so that none resumes.
  static func measure() async throws -> [Figure] {
    let peer = try Peer { _, _ in .answer(Peer.json(Array("{}".utf8))) }
    guard let pin = SPKIPin(peer.pin) else { throw BenchError("no pin") }
    var pinned: [Duration] = []
    var plain: [Duration] = []
    for _ in 0..<pairs {
      plain.append(try await handshake(peer, pins: []))
      pinned.append(try await handshake(peer, pins: [pin]))
    }
    await peer.stop()
    let (with, without) = (Quantiles(pinned)(0.5), Quantiles(plain)(0.5))
    return [
      Figure(
        work: "pin check a handshake", goal: "≤ 50 µs",
        measured: "\(Figure.number(with - without)) µs (\(Figure.number(without)) → \(Figure.number(with)))",
        holds: with - without <= 50)
    ]
  }

  private static func handshake(_ peer: Peer, pins: Set<SPKIPin>) async throws -> Duration {
    let curl = try CurlTransport(TransportConfiguration(trust: .pem(peer.certificatePEM), pins: pins, proxy: .none))
    let response = try await curl.send(TransportRequest(method: .get, url: peer.origin + "/", isReplayable: true))
    await curl.shutdown()
    return response.timings.tls ?? .zero
  }
}
