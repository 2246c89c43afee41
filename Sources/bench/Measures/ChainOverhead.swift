import Client
import Observability
import FoundationEssentials
import HTTPTypes
import RPC

/// Measures the overhead of the middleware chain for a call with 1 KB of JSON on a persistent connection.
///
/// The reference is a simple client: the same libcurl transport and header fields, and a response decoded by `JSONDecoder`. The
/// table also shows the share of decoding.
enum ChainOverhead {
  private static let perRound = 250
  private static let parallel = 64
  private static let perTask = 30

  /// Alternates rounds of calls through the chain and rounds of the same request through the bare transport.
  static func measure(rounds: Int) async throws -> [Figure] {
    let backend = try BenchmarkBackend()
    let server = try BenchmarkServer { backend.respond($0, $1) }
    let device = try BenchmarkClient(server: server)
    try await device.signIn()
    let (chain, bare) = try await latencies(device, rounds)
    let decoding = try decoding(backend)
    let throughput = try await throughputs(device, max(3, rounds / 8))
    await device.stop()
    await server.stop()
    let half = median(zip(chain, bare).map { $0(0.5) - $1(0.5) })
    let tail = median(zip(chain, bare).map { $0(0.99) - $1(0.99) })
    func typical(_ rounds: [Quantiles], _ part: Double) -> String { Figure.number(median(rounds.map { $0(part) })) }
    return [
      Figure(
        work: "chain above bare, p50", goal: "≤ 15 µs",
        measured: "\(Figure.number(half)) µs (\(typical(bare, 0.5)), of it \(Figure.number(decoding)) decoding → "
          + "\(typical(chain, 0.5)))", isMet: half <= 15),
      Figure(
        work: "chain above bare, p99", goal: "≤ 60 µs",
        measured: "\(Figure.number(tail)) µs (\(typical(bare, 0.99)) → \(typical(chain, 0.99)))", isMet: tail <= 60),
      Figure(
        work: "throughput at 64 concurrent, of the bare one's", goal: "≥ 90 %",
        measured: "\(Figure.number(throughput.ratio * 100, places: 0)) % (\(Figure.number(throughput.chain, places: 0)) calls/s)",
        isMet: throughput.ratio >= 0.9),
    ]
  }

  /// One call without the chain; the server accepts any token.
  private static func bareCall(_ device: BenchmarkClient) async throws {
    let value = String(repeating: "0", count: 64)
    var headers: HTTPFields = [.accept: "application/json", .userAgent: "understudy", .authorization: "Bearer access-token-1"]
    for name in [HTTPField.Name.requestID, .deviceID, .apiID, .nonce, .signature] { headers[name] = value }
    let request = TransportRequest(
      method: .get, url: device.configuration.origin + AccountEndpoints.Me.path, headers: headers,
      deadline: .now + .seconds(60), isReplayable: true)
    let response = try await device.curl.send(request)
    _ = try JSONDecoder().decode(MeBody.self, from: Data(response.body))
  }

  /// Quantiles of each round; work that the chain defers counts in its own rounds.
  private static func latencies(_ device: BenchmarkClient, _ rounds: Int) async throws -> (chain: [Quantiles], bare: [Quantiles])
  {
    var chain: [Quantiles] = []
    var bare: [Quantiles] = []
    for round in 0...rounds {
      let first = try await durations { _ = try await device.stack.api.send(AccountEndpoints.Me()) }
      device.log.flush()
      let second = try await durations { try await bareCall(device) }
      // The first round warms up.
      guard round > 0 else { continue }
      chain.append(Quantiles(first))
      bare.append(Quantiles(second))
    }
    return (chain, bare)
  }

  private static func durations(_ call: () async throws -> Void) async throws -> [Duration] {
    var durations: [Duration] = []
    for _ in 0..<perRound {
      let started = ContinuousClock.now
      try await call()
      durations.append(ContinuousClock.now - started)
    }
    return durations
  }

  /// Microseconds to decode a response while nothing else runs.
  private static func decoding(_ backend: BenchmarkBackend) throws -> Double {
    var durations: [Duration] = []
    for _ in 0..<2_000 {
      let started = ContinuousClock.now
      _ = try JSONDecoder().decode(MeBody.self, from: Data(backend.meBody))
      durations.append(ContinuousClock.now - started)
    }
    return Quantiles(durations)(0.5)
  }

  private static func throughputs(_ device: BenchmarkClient, _ rounds: Int) async throws -> (ratio: Double, chain: Double) {
    var ratios: [Double] = []
    var rates: [Double] = []
    for _ in 0..<rounds {
      let bare = try await rate { try await bareCall(device) }
      let chain = try await rate(
        { _ = try await device.stack.api.send(AccountEndpoints.Me()) }, finally: { device.log.flush() })
      ratios.append(chain / bare)
      rates.append(chain)
    }
    return (median(ratios), median(rates))
  }

  /// Calls per second of many concurrent tasks, including the work of `finally`.
  private static func rate(
    _ call: @escaping @Sendable () async throws -> Void, finally: () -> Void = {}
  ) async throws -> Double {
    let started = ContinuousClock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<parallel {
        group.addTask { for _ in 0..<perTask { try await call() } }
      }
      try await group.waitForAll()
    }
    finally()
    return Double(parallel * perTask) / (Quantiles([ContinuousClock.now - started])(0) / 1e6)
  }
}
