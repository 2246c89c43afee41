import Domain
import FoundationEssentials
import HTTPTypes
import RPC
import Support
import Locking
import Testing

@testable import Client

/// What is sent under fault rules: every byte as usual, or none.
@Suite(.timeLimit(.minutes(1))) struct FaultTrafficTests {
  @Test(arguments: ["removed", "off", "expired", "spent", "elsewhere"])
  func aRuleThatIsNotArmedLeavesEveryByteAsItIs(state: String) async throws {
    func run(_ prepare: (ClientHarness) -> Void) async throws -> [String] {
      let harness = try ClientHarness(backoff: .none)
      prepare(harness)
      try await harness.signIn()
      _ = await harness.me()
      harness.backend.expireAccessTokens()
      _ = await harness.me()
      let api = harness.stack.api
      _ = await ClientHarness.result { () throws(NetworkError) in try await api.send(KeyedPost()) }
      return harness.backend.state.withLock { $0.requests }.map { request in
        var headers = request.headers
        for name in ["X-Request-ID", "Idempotency-Key"].compactMap({ HTTPField.Name($0) }) where headers[name] != nil {
          headers[name] = "id"
        }
        return "\(request.method) \(request.url) \(headers) \(request.body ?? []) \(request.idleTimeout) \(request.isReplayable)"
      }
    }
    // When a rule expires, the clock continues from the true time, as the signatures show.
    let plain = try await run { harness in if state == "expired" { harness.time.advance(by: .seconds(60)) } }
    let faulted = try await run { harness in
      let kinds = FaultKind.allCases.map { FaultRule.Action($0, latencyMilliseconds: 5, skewSeconds: 600) }
      let when = FaultRule.When(count: state == "spent" ? 1 : nil)
      let endpoint = state == "elsewhere" ? "get_cues" : nil
      let usable = kinds.filter { state != "elsewhere" || ($0.kind != .clockSkew && $0.kind != .storageFull) }
      FaultChainTests.arm(
        harness, usable.map { FaultRule(name: "r", match: .init(endpoint: endpoint), when: when, action: $0) }, seconds: 60)
      harness.stack.faults.change { plan, moment in
        switch state {
        case "removed": plan.removeAll()
        case "off":
          for entry in plan.entries {
            var change = FaultChange()
            change.isArmed = false
            _ = plan.change(id: entry.id, change, at: moment)
          }
        case "spent":
          // Each rule applies once when the plan alone is asked.
          let attempt = FaultAttempt(method: "POST", endpoint: AuthEndpoints.RefreshTokens.name, path: "/x", isAuthorized: true)
          for _ in 0..<20 { _ = plan.decide(attempt, at: moment.monotonic) }
          _ = plan.refuseStorage(at: moment.monotonic)
        default: break
        }
      }
      if state == "expired" { harness.time.advance(by: .seconds(60)) }
      if state != "elsewhere" { #expect(harness.stack.faults.plan.armedCount(at: harness.time.now) == 0) }
    }
    #expect(faulted == plain)
  }

  // MARK: The wire

  @Test func aWrongPinOrAnUntrustedCertificateLetsNoByteOut() async throws {
    for kind in [FaultKind.pinMismatch, .tlsFailure, .offline] {
      let harness = try LiveHarness { connection in
        guard connection.handshake() else { return }
        connection.serve { _ in connection.respond(body: LiveHarness.me) }
      }
      try await harness.use { harness in
        try await harness.adoptTokens()
        harness.stack.faults.change { plan, moment in
          _ = plan.arm(FaultRule(name: "r", action: .init(kind)), id: "1", at: moment)
        }
        let expected: NetworkError =
          switch kind {
          case .pinMismatch: .pinMismatch(presented: [])
          case .tlsFailure: .tlsFailed
          default: .offline
          }
        #expect(await harness.me() == .failure(expected))
        #expect(harness.server.connections == 0, "\(kind)")
        harness.stack.faults.change { plan, _ in plan.removeAll() }
        #expect((try? await harness.me().get()) != nil)
        #expect(harness.server.connections == 1)
      }
    }
  }
}
