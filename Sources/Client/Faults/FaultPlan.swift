package import FoundationEssentials

/// A device's fault rules in their order, as a value that reads no clock and does nothing itself (contract §2.5).
package struct FaultPlan: Sendable {
  /// How many rules a plan holds.
  package static let limit = 50
  /// How long a rule is armed that does not say so, in seconds.
  package static let defaultLifetime = 900

  /// A moment on both clocks.
  package struct Moment: Hashable, Sendable {
    package let monotonic: ContinuousClock.Instant
    /// The true wall instant, for showing.
    package let wall: Date

    /// Makes a moment.
    package init(monotonic: ContinuousClock.Instant, wall: Date) {
      self.monotonic = monotonic
      self.wall = wall
    }
  }

  /// The rules, the one that is tried first first.
  package private(set) var entries: [FaultEntry] = []

  /// Makes a plan that does nothing.
  package init() {}

  /// The rule of that id.
  package func entry(id: String) -> FaultEntry? { entries.first { $0.id == id } }

  /// How many rules can act now.
  package func armedCount(at now: ContinuousClock.Instant) -> Int { entries.count { $0.state(at: now) == .armed } }

  /// When the next armed rule expires; nil where none does.
  package func nextExpiry(after now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    entries.filter { $0.state(at: now) == .armed }.compactMap(\.expiry).min()
  }

  /// How far the client's wall clock is ahead now, in seconds: the first armed rule of that kind says so.
  package func skewSeconds(at now: ContinuousClock.Instant) -> Int64 {
    Int64(entries.first { $0.rule.action.kind == .clockSkew && $0.state(at: now) == .armed }?.rule.action.skewSeconds ?? 0)
  }

  // MARK: Acting

  /// What becomes of an attempt; nil where no rule acts. Rules are tried in order, the first that acts decides, and latency adds.
  package mutating func decide(_ attempt: FaultAttempt, at now: ContinuousClock.Instant) -> FaultDecision? {
    var decision = FaultDecision()
    for index in entries.indices where entries[index].acts(on: attempt, at: now) {
      let action = entries[index].rule.action
      decision.add(action, id: entries[index].id)
      if action.kind.stopsEvaluation { break }
    }
    return decision.ruleIDs.isEmpty ? nil : decision
  }

  /// Whether tokens cannot be written now, and by which rule; counts as a hit.
  package mutating func refuseStorage(at now: ContinuousClock.Instant) -> String? {
    for index in entries.indices where entries[index].refusesStorage(at: now) { return entries[index].id }
    return nil
  }

  // MARK: Changing

  /// Arms a rule behind the others, for so many seconds, 0 for ever; returns its entry, nil where the plan is full.
  package mutating func arm(_ rule: FaultRule, id: String, forSeconds seconds: Int, at moment: Moment) -> FaultEntry? {
    guard entries.count < Self.limit else { return nil }
    let entry = FaultEntry(id: id, rule: rule, lifetime: seconds, at: moment)
    entries.append(entry)
    return entry
  }

  /// Changes a rule; false where there is none of that id.
  package mutating func change(id: String, _ change: FaultChange, at moment: Moment) -> Bool {
    guard let index = entries.firstIndex(where: { $0.id == id }) else { return false }
    entries[index].apply(change, at: moment)
    if let position = change.position {
      let entry = entries.remove(at: index)
      entries.insert(entry, at: min(max(position, 0), entries.count))
    }
    return true
  }

  /// Drops a rule; false where there is none of that id.
  package mutating func remove(id: String) -> Bool {
    guard let index = entries.firstIndex(where: { $0.id == id }) else { return false }
    entries.remove(at: index)
    return true
  }

  /// Drops every rule.
  package mutating func removeAll() { entries = [] }

  /// The ids of armed rules that keep the client from seeing the backend.
  func hidingRuleIDs(at now: ContinuousClock.Instant) -> Set<String> {
    Set(entries.filter { $0.rule.action.kind.hidesBackend && $0.state(at: now) == .armed }.map(\.id))
  }
}
