import Domain
import FoundationEssentials
import HTTPTypes
import RPC
import Support
import Locking
import Testing

@testable import Client

/// What leaves this machine under fault rules: every byte as ever, or none (contract §2.5).
@Suite(.timeLimit(.minutes(1))) struct FaultTrafficTests {
  @Test(arguments: ["removed", "off", "expired", "spent", "elsewhere"])
  func aRuleThatIsNotArmedLeavesEveryByteAsItIs(state: String) async throws {
    func run(_ prepare: (ClientHarness) -> Void) async throws -> [String] {
      let bench = try ClientHarness(random: { 0 })
      prepare(bench)
      try await bench.signIn()
      _ = await bench.me()
      bench.backend.expireAccessTokens()
      _ = await bench.me()
      let api = bench.stack.api
      _ = await ClientHarness.result { () throws(NetworkError) in try await api.send(KeyedPost()) }
      return bench.backend.state.withLock { $0.requests }.map { request in
        var headers = request.headers
        for name in ["X-Request-ID", "Idempotency-Key"].compactMap({ HTTPField.Name($0) }) where headers[name] != nil {
          headers[name] = "id"
        }
        return "\(request.method) \(request.url) \(headers) \(request.body ?? []) \(request.idleTimeout) \(request.isReplayable)"
      }
    }
    // The clock goes on where a rule expires, which the signatures show.
    let plain = try await run { bench in if state == "expired" { bench.time.advance(by: .seconds(60)) } }
    let faulted = try await run { bench in
      let kinds = FaultKind.allCases.map { FaultRule.Action($0, latencyMilliseconds: 5, skewSeconds: 600) }
      let when = FaultRule.When(count: state == "spent" ? 1 : nil)
      let endpoint = state == "elsewhere" ? "get_cues" : nil
      let usable = kinds.filter { state != "elsewhere" || ($0.kind != .clockSkew && $0.kind != .storageFull) }
      FaultChainTests.arm(
        bench, usable.map { FaultRule(name: "r", match: .init(endpoint: endpoint), when: when, action: $0) }, seconds: 60)
      bench.stack.faults.change { plan, moment in
        switch state {
        case "removed": plan.removeAll()
        case "off":
          for entry in plan.entries {
            var change = FaultChange()
            change.isArmed = false
            _ = plan.change(id: entry.id, change, at: moment)
          }
        case "spent":
          // Each acts once on what is asked of the plan alone.
          let attempt = FaultAttempt(method: "POST", endpoint: "x", path: AuthEndpoints.RefreshTokens.path, isAuthorized: true)
          for _ in 0..<20 { _ = plan.decide(attempt, at: moment.monotonic) }
          _ = plan.refuseStorage(at: moment.monotonic)
        default: break
        }
      }
      if state == "expired" { bench.time.advance(by: .seconds(60)) }
      if state != "elsewhere" { #expect(bench.stack.faults.plan.armedCount(at: bench.time.now) == 0) }
    }
    #expect(faulted == plain)
  }

  // MARK: The wire

  @Test func aWrongPinOrAnUntrustedCertificateLetsNoByteOut() async throws {
    for kind in [FaultKind.pinMismatch, .tlsFailure, .offline] {
      let bench = try LiveHarness { connection in
        guard connection.handshake() else { return }
        connection.serve { _ in connection.respond(body: LiveHarness.me) }
      }
      try await bench.use { bench in
        try await bench.adoptTokens()
        bench.stack.faults.change { plan, moment in
          _ = plan.arm(FaultRule(name: "r", action: .init(kind)), id: "1", forSeconds: 60, at: moment)
        }
        let expected: NetworkError =
          switch kind {
          case .pinMismatch: .pinMismatch(presented: [])
          case .tlsFailure: .tlsFailed
          default: .offline
          }
        #expect(await bench.me() == .failure(expected))
        #expect(bench.server.connections == 0, "\(kind)")
        bench.stack.faults.change { plan, _ in plan.removeAll() }
        #expect((try? await bench.me().get()) != nil)
        #expect(bench.server.connections == 1)
      }
    }
  }
}
