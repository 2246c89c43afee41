import Client
import Domain
import FoundationEssentials
import Logging
import RPC
import Support
import Testing

/// Random schedules of calls, 401s, cancellations, logouts, logins and failures against the real session controller.
@Suite(.timeLimit(.minutes(5)))
struct SessionScheduleTests {
  /// A failure names its seed, and `SCHEDULE_SEED` runs only that one.
  @Test func randomSchedulesKeepTheRules() async throws {
    let chosen = ProcessInfo.processInfo.environment["SCHEDULE_SEED"].flatMap { UInt64($0) }
    var requests = 0
    for seed in chosen.map({ $0...$0 }) ?? 1...UInt64(Rounds.scaled(2000)) {
      let (faults, sent) = try await run(seed: seed)
      requests += sent
      guard faults.isEmpty else {
        Issue.record("seed \(seed): \(faults.joined(separator: "; "))")
        return
      }
    }
    // Schedules in which hardly anything is sent would prove nothing.
    #expect(chosen != nil || requests > 6000, "\(requests)")
  }

  private func run(seed: UInt64) async throws -> (faults: [String], requests: Int) {
    let time = DrivenTime()
    let world = ScheduledWorld(seed: seed, time: time.time)
    let store = MemoryTokenStore()
    let session = SessionController(store: store, time: time.time, logger: ClientHarness.silent) {
      tokens, _, admission throws(RefreshFailure) in
      if let refusal = await admission() { throw RefreshFailure(refusal) }
      return try await world.refresh(tokens.refreshToken ?? "none")
    }
    try await session.adopt(world.login())
    var forced = 0
    var calls: [Task<Result<Void, NetworkError>, Never>] = []
    for _ in 0..<(4 + world.below(6)) {
      switch world.below(12) {
      case 0, 1, 2: world.expire()
      case 3: await session.logout(reason: .user)
      case 4: try await session.adopt(world.login())
      case 5: time.advance(by: .seconds(Int64(world.below(40))))
      case 6:
        forced += 1
        _ = await session.refresh()
      default: break
      }
      let call = Task { await world.call(session) }
      calls.append(call)
      if world.below(5) == 0 { call.cancel() }
      for _ in 0..<world.below(3) { await Task.yield() }
    }
    var faults: [String] = []
    for call in calls {
      if case .failure(let error) = await call.value, !Self.isExplained(error) { faults.append("\(error)") }
    }
    // A refresh that outlived its callers ends too.
    await eventually { await session.state.phase != .refreshing }
    let waiting = await session.waitingCount
    if waiting != 0 { faults.append("\(waiting) left waiting") }
    // Tokens live longer than a schedule, so none is refreshed ahead of its expiry.
    if world.excess > forced { faults.append("\(world.excess - forced) refreshes without cause") }
    let kept = try store.load()
    if await session.state.isSignedIn != (kept != nil) { faults.append("store and session differ") }
    if let token = kept?.refreshToken, !world.isGood(token) { faults.append("\(token) is kept and no longer good") }
    return (faults + world.faults, world.requests)
  }

  private static func isExplained(_ error: NetworkError) -> Bool {
    switch error {
    case .cancelled, .sessionEnded, .unauthorized, .offline, .server(503, _), .unexpectedPayload, .timeout: true
    default: false
    }
  }
}
