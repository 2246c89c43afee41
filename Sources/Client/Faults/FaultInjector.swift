import Domain
import FoundationEssentials
import HTTPTypes
import Locking

/// One client's fault plan, shared by its concurrent attempts.
package final class FaultInjector: Sendable {
  private let state: Locked<FaultPlan>
  private let time: Time
  private let connectivity: ConnectivityMonitor
  private let onHit: @Sendable ([FaultEntry], FaultPlan) -> Void

  /// Creates an injector with a plan; `onHit` is called with the rules that applied and the plan afterwards, and must not block.
  init(
    plan: FaultPlan, time: Time, connectivity: ConnectivityMonitor,
    onHit: @escaping @Sendable (_ entries: [FaultEntry], _ plan: FaultPlan) -> Void
  ) {
    state = Locked(plan)
    self.time = time
    self.connectivity = connectivity
    self.onHit = onHit
  }

  /// The current plan.
  package var plan: FaultPlan { state.withLock { $0 } }

  /// Changes the plan. If this removes a rule that hid the backend, the backend counts as reachable again.
  package func change<Result: Sendable>(_ body: (inout sending FaultPlan, FaultPlan.Moment) -> sending Result) -> sending Result {
    let moment = FaultPlan.Moment(monotonic: time.monotonic(), wall: time.wall())
    let (result, isEased) = state.withLock { plan in
      let before = plan.hidingRuleIDs(at: moment.monotonic)
      let result = body(&plan, moment)
      return (result, !before.subtracting(plan.hidingRuleIDs(at: moment.monotonic)).isEmpty)
    }
    if isEased { connectivity.reset() }
    return result
  }

  /// Records that rules may have expired, so that no call waits for a network that is back.
  package func noteExpiry() {
    let hides = state.withLock { !$0.hidingRuleIDs(at: time.monotonic()).isEmpty }
    if !hides { connectivity.reset() }
  }

  /// Decides the effect of the rules on an attempt that is about to be sent; nil if no rule applies.
  func decide(_ call: Call, isAuthorized: Bool) -> FaultDecision? {
    let acted = state.withLock { plan -> (FaultDecision, [FaultEntry], FaultPlan)? in
      // Usually there is no rule, and then this must cost nothing.
      guard !plan.entries.isEmpty else { return nil }
      let now = time.monotonic()
      guard let decision = plan.decide(FaultAttempt(call, isAuthorized: isAuthorized), at: now) else { return nil }
      return (decision, plan.entries.filter { decision.ruleIDs.contains($0.id) }, plan)
    }
    guard let (decision, entries, plan) = acted else { return nil }
    onHit(entries, plan)
    return decision
  }

  /// Whether an armed rule has a written response for a call, so that the cache must not respond.
  func hasAnswer(for call: Call, isAuthorized: Bool) -> Bool {
    state.withLock { plan in
      !plan.entries.isEmpty && plan.hasAnswer(for: FaultAttempt(call, isAuthorized: isAuthorized), at: time.monotonic())
    }
  }

  /// Whether a rule makes saving tokens fail now.
  func refusesStorage() -> Bool {
    let acted = state.withLock { plan -> (FaultEntry, FaultPlan)? in
      guard let id = plan.refuseStorage(at: time.monotonic()), let entry = plan.entry(id: id) else { return nil }
      return (entry, plan)
    }
    guard let (entry, plan) = acted else { return false }
    onHit([entry], plan)
    return true
  }

  /// The clock skew now, in seconds.
  var skewSeconds: Int64 {
    state.withLock { plan in plan.entries.isEmpty ? 0 : plan.skewSeconds(at: time.monotonic()) }
  }
}

extension FaultAttempt {
  fileprivate init(_ call: Call, isAuthorized: Bool) {
    self.init(
      method: call.sentMethod.rawValue, endpoint: call.endpoint, path: call.sentPath, query: call.sentQuery,
      body: call.wire.map(\.body) ?? call.body,
      isAuthorized: isAuthorized)
  }
}

/// A token store that fails to save while a fault rule requires it.
struct FaultyTokenStore: TokenStore {
  let store: any TokenStore
  let faults: FaultInjector

  func load() throws(TokenStoreError) -> StoredTokens? { try store.load() }

  func save(_ tokens: StoredTokens) throws(TokenStoreError) {
    // Rules concern the tokens of a refresh, not the record that it begins.
    guard tokens.isRefreshing == true || !faults.refusesStorage() else { throw .storageFull }
    try store.save(tokens)
  }

  func clear() throws(TokenStoreError) { try store.clear() }
}
