import Client
import RPC
import Locking

/// Sends a thousand calls that all receive 401; a single refresh must serve them.
enum RefreshStorm {
  static let calls = 1_000

  /// Runs the storm over TLS.
  static func measure() async throws -> [Figure] {
    let backend = try BenchmarkBackend()
    let server = try BenchmarkServer { backend.respond($0, $1) }
    let hold = Hold()
    let device = try BenchmarkClient(server: server) { wire in
      Transport { request throws(TransportError) in
        let response = try await wire.send(request)
        if response.status == 401 { await hold.arrive() }
        return response
      }
    }
    try await device.signIn()
    backend.expireTokens()
    let started = ContinuousClock.now
    let good = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<calls {
        group.addTask { (try? await device.stack.api.send(AccountEndpoints.Me())) != nil }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    let took = Quantiles([ContinuousClock.now - started])(0) / 1000
    let replays = backend.calls - calls
    await device.stop()
    await server.stop()
    return [
      Figure(
        work: "1,000 concurrent 401s", goal: "1 refresh, 1,000 replays, 0 failures",
        measured:
          "\(backend.refreshes) refresh, \(replays) replays, \(calls - good) failures, \(Figure.number(took, places: 0)) ms",
        isMet: backend.refreshes == 1 && replays == calls && good == calls)
    ]
  }

  /// Holds back the 401 responses until all calls have arrived.
  private final class Hold: Sendable {
    private let held = Locked<(count: Int, waiting: [CheckedContinuation<Void, Never>])>((0, []))

    func arrive() async {
      await withCheckedContinuation { continuation in
        let free = held.withLock { held in
          held.count += 1
          held.waiting.append(continuation)
          guard held.count >= RefreshStorm.calls else { return [CheckedContinuation<Void, Never>]() }
          defer { held.waiting = [] }
          return held.waiting
        }
        for continuation in free { continuation.resume() }
      }
    }
  }
}
