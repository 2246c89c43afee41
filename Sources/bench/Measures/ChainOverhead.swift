import Client
import HTTPTypes
import RPC

/// What the whole chain costs above the bare transport, for a call of 1 KB of JSON on a kept connection.
enum ChainOverhead {
  private static let pairs = 10_000
  private static let rounds = 5
  private static let parallel = 64
  private static let perTask = 60

  /// Alternates calls through the chain with the same request through the transport alone.
  static func measure() async throws -> [Figure] {
    let backend = try TokenPeer()
    let peer = try Peer { backend.respond($0, $1) }
    let device = try StandIn(peer: peer)
    try await device.signIn()
    let (chain, bare) = try await latencies(device)
    let throughput = try await throughputs(device)
    await device.stop()
    await peer.stop()
    let (half, tail) = (chain(0.5) - bare(0.5), chain(0.99) - bare(0.99))
    return [
      Figure(
        work: "chain above transport, p50", goal: "≤ 15 µs",
        measured: "\(Figure.number(half)) µs (\(Figure.number(bare(0.5))) → \(Figure.number(chain(0.5))))", holds: half <= 15),
      Figure(
        work: "chain above transport, p99", goal: "≤ 60 µs",
        measured: "\(Figure.number(tail)) µs (\(Figure.number(bare(0.99))) → \(Figure.number(chain(0.99))))", holds: tail <= 60),
      Figure(
        work: "throughput at 64 concurrent, of the transport's", goal: "≥ 90 %",
        measured: "\(Figure.number(throughput.ratio * 100, places: 0)) % (\(Figure.number(throughput.chain, places: 0)) calls/s)",
        holds: throughput.ratio >= 0.9),
    ]
  }

  /// The request that the chain would send, made once; the peer takes any token.
  private static func bareRequest(_ device: StandIn) -> TransportRequest {
    let value = String(repeating: "0", count: 64)
    var headers: HTTPFields = [.accept: "application/json", .userAgent: "understudy", .authorization: "Bearer access-token-1"]
    for name in ["X-Request-ID", "X-Device-ID", "X-Api-Id", "X-Nonce", "X-Signature"] {
      if let name = HTTPField.Name(name) { headers[name] = value }
    }
    return TransportRequest(
      method: .get, url: device.configuration.origin + AccountEndpoints.Me.path, headers: headers, isReplayable: true)
  }

  private static func latencies(_ device: StandIn) async throws -> (chain: Quantiles, bare: Quantiles) {
    let request = bareRequest(device)
    var chain: [Duration] = []
    var bare: [Duration] = []
    for index in 0..<(pairs + 1_000) {
      let first = ContinuousClock.now
      _ = try await device.stack.api.send(AccountEndpoints.Me())
      let second = ContinuousClock.now
      var copy = request
      copy.deadline = second + .seconds(60)
      _ = try await device.curl.send(copy)
      let third = ContinuousClock.now
      guard index >= 1_000 else { continue }
      chain.append(second - first)
      bare.append(third - second)
    }
    return (Quantiles(chain), Quantiles(bare))
  }

  private static func throughputs(_ device: StandIn) async throws -> (ratio: Double, chain: Double) {
    let request = bareRequest(device)
    var ratios: [Double] = []
    var rates: [Double] = []
    for _ in 0..<rounds {
      let bare = try await rate {
        var copy = request
        copy.deadline = .now + .seconds(60)
        _ = try await device.curl.send(copy)
      }
      let chain = try await rate { _ = try await device.stack.api.send(AccountEndpoints.Me()) }
      ratios.append(chain / bare)
      rates.append(chain)
    }
    return (median(ratios), median(rates))
  }

  /// Calls a second, of many tasks at once.
  private static func rate(_ call: @escaping @Sendable () async throws -> Void) async throws -> Double {
    let started = ContinuousClock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<parallel {
        group.addTask { for _ in 0..<perTask { try await call() } }
      }
      try await group.waitForAll()
    }
    return Double(parallel * perTask) / (Quantiles([ContinuousClock.now - started])(0) / 1e6)
  }
}
