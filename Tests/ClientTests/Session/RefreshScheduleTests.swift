import Client
import Domain
import HTTPTypes
import RPC
import Support
import Locking
import Testing

/// Short schedules of a session over the whole chain, in which calls, 401s, cancellations, logouts and logins come in any
/// order; `SessionScheduleTests` runs many more of the session alone.
@Suite(.timeLimit(.minutes(2)))
struct RefreshScheduleTests {
  @Test func everyScheduleKeepsTheRules() async throws {
    for seed in 1...40 as ClosedRange<UInt64> { try await run(seed: seed) }
  }

  private func run(seed: UInt64) async throws {
    let harness = try ClientHarness(backoff: .none)
    let random = Locked(SeededRandom(seed: seed))
    try await harness.signIn()
    // Tokens that the backend rejected, and for each token how often it was used and how often it was sent again.
    let refused = Locked<Set<String>>([])
    harness.backend.on(AccountEndpoints.Me.path) { request throws(TransportError) in
      for _ in 0..<random.withLock({ $0.below(20) }) { await Task.yield() }
      let answer = harness.backend.answer(request)
      if answer.status == 401 { refused.withLock { _ = $0.insert(request.headers[.authorization] ?? "") } }
      for _ in 0..<random.withLock({ $0.below(20) }) { await Task.yield() }
      return answer
    }
    harness.backend.on(AuthEndpoints.RefreshTokens.path) { request throws(TransportError) in
      for _ in 0..<random.withLock({ $0.below(40) }) { await Task.yield() }
      return harness.backend.refresh(request)
    }
    let outcomes = await withTaskGroup { group in
      for index in 0..<20 {
        let cancels = random.withLock { $0.below(5) == 0 }
        group.addTask {
          let call = Task { await harness.me() }
          if cancels { call.cancel() }
          return await call.value
        }
        let event = random.withLock { $0.below(12) }
        if event == 0 { harness.backend.expireAccessTokens() }
        if event == 1 && index % 3 == 0 { await harness.stack.auth.logout(.user) }
        if event == 2 { try? await harness.signIn() }
        await Task.yield()
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    // Every call returned, with an outcome that the schedule explains.
    #expect(outcomes.count == 20)
    for case .failure(let error) in outcomes {
      #expect([.cancelled, .sessionEnded, .unauthorized].contains(error), "seed \(seed): \(error)")
    }
    // No refresh token is used twice, and none without cause.
    let spent = harness.backend.requests(AuthEndpoints.RefreshTokens.path).map { $0.body ?? [] }
    #expect(Set(spent).count == spent.count, "seed \(seed)")
    #expect(spent.count <= refused.withLock { $0.count }, "seed \(seed)")
    #expect(await harness.session.waitingCount == 0)
    #expect(await harness.session.state.reason != LogoutReason.refreshTokenReused.rawValue, "seed \(seed)")
  }
}
