import Client
import Observability
import RPC

/// Measures the effect on calls of the comparison with an OpenAPI document, which runs in the background.
///
/// The comparison here only takes time: as much as is allowed for a row of 2 KB. A call that waited for it would take at least
/// that much longer.
enum ComparisonCost {
  private static let perRound = 250
  /// The time that a comparison may take.
  private static let allowed = Duration.microseconds(30)

  /// Alternates rounds of calls of a client that compares and of one that does not.
  static func measure(rounds: Int) async throws -> [Figure] {
    let backend = try BenchmarkBackend()
    let server = try BenchmarkServer { backend.respond($0, $1) }
    let comparer = ExchangeComparer()
    comparer.start { _ in
      let end = ContinuousClock.now + allowed
      while ContinuousClock.now < end {}
      return []
    }
    let plain = try BenchmarkClient(server: server)
    let comparing = try BenchmarkClient(server: server, comparer: comparer)
    try await plain.signIn()
    try await comparing.signIn()
    var without: [Quantiles] = []
    var with: [Quantiles] = []
    for round in 0...rounds {
      let first = try await durations(plain)
      let second = try await durations(comparing)
      // The first round warms up.
      guard round > 0 else { continue }
      without.append(Quantiles(first))
      with.append(Quantiles(second))
    }
    await comparer.finish()
    let counts = comparer.counts
    await plain.stop()
    await comparing.stop()
    await server.stop()
    func typical(_ rounds: [Quantiles], _ part: Double) -> Double { median(rounds.map { $0(part) }) }
    let late = median(zip(with, without).map { $0(0.95) - $1(0.95) })
    let half = median(zip(with, without).map { $0(0.5) - $1(0.5) })
    return [
      Figure(
        work: "a call that is compared above one that is not, p95", goal: "≤ 30 µs",
        measured: "\(Figure.number(late)) µs (\(Figure.number(typical(without, 0.95))) → \(Figure.number(typical(with, 0.95)))), "
          + "p50 \(Figure.number(half)) µs", isMet: late <= 30),
      Figure(
        work: "calls that were not compared, of \(counts.compared + counts.dropped)", goal: "0", measured: "\(counts.dropped)",
        isMet: counts.dropped == 0),
    ]
  }

  private static func durations(_ device: BenchmarkClient) async throws -> [Duration] {
    var durations: [Duration] = []
    for _ in 0..<perRound {
      let started = ContinuousClock.now
      _ = try await device.stack.api.send(AccountEndpoints.Me())
      durations.append(ContinuousClock.now - started)
    }
    device.log.flush()
    return durations
  }
}
