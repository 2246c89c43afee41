package import FoundationEssentials

/// A device's fault rules in order, as a value without clock or effects.
package struct FaultPlan: Sendable {
  /// The most rules of a plan.
  package static let limit = 50
  /// The most memory that the texts of a plan's rules take, in bytes.
  package static let textLimit = 2 << 20
  /// How long a rule stays armed by default, in seconds.
  package static let defaultLifetime = 900

  /// A limit that a change would exceed.
  package enum Limit: Error, Hashable, Sendable {
    case rules, texts
  }

  /// An instant on both clocks.
  package struct Moment: Hashable, Sendable {
    package let monotonic: ContinuousClock.Instant
    /// The true wall clock, for display.
    package let wall: Date
    package init(monotonic: ContinuousClock.Instant, wall: Date) {
      self.monotonic = monotonic
      self.wall = wall
    }
  }

  /// The rules in the order in which they are tried.
  package private(set) var entries: [FaultEntry] = []

  /// Creates an empty plan.
  package init() {}

  /// Creates the plan of saved rules. They expire at their time by the wall clock.
  package init(_ saved: [FaultEntry], at moment: Moment) {
    entries = saved.prefix(Self.limit).map { $0.restored(at: moment) }
  }

  /// Rolls back a change of the rules; unchanged rules keep their counts.
  package mutating func takeBack(from before: [FaultEntry], to after: [FaultEntry]) {
    let changed = Dictionary(after.map { ($0.id, $0) }) { first, _ in first }
    entries = before.map { earlier in
      changed[earlier.id].map { $0.isArmed(as: earlier) } == true ? entry(id: earlier.id) ?? earlier : earlier
    }
  }

  /// The rule with the id.
  package func entry(id: String) -> FaultEntry? { entries.first { $0.id == id } }

  /// The number of rules that are armed now.
  package func armedCount(at now: ContinuousClock.Instant) -> Int { entries.count { $0.state(at: now) == .armed } }

  /// When the next armed rule expires; nil if none does.
  package func nextExpiry(after now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    entries.filter { $0.state(at: now) == .armed }.compactMap(\.progress.expiry).min()
  }

  /// The clock skew now, in seconds, from the first armed rule of that kind.
  package func skewSeconds(at now: ContinuousClock.Instant) -> Int64 {
    Int64(entries.first { $0.rule.action.kind == .clockSkew && $0.state(at: now) == .armed }?.rule.action.skewSeconds ?? 0)
  }

  // MARK: Acting

  /// Decides what happens to an attempt; nil if no rule applies. Rules are tried in order: latencies add up, and the first rule
  /// with another effect decides.
  package mutating func decide(_ attempt: FaultAttempt, at now: ContinuousClock.Instant) -> FaultDecision? {
    var decision = FaultDecision()
    for index in entries.indices where entries[index].acts(on: attempt, at: now) {
      let rule = entries[index].rule
      decision.add(rule, id: entries[index].id, seed: rule.action.kind == .mangleFields ? entries[index].drawSeed() : 0)
      if rule.action.kind.stopsEvaluation { break }
    }
    return decision.ruleIDs.isEmpty ? nil : decision
  }

  /// Whether an armed `answer` rule matches an attempt; counts nothing.
  func hasAnswer(for attempt: FaultAttempt, at now: ContinuousClock.Instant) -> Bool {
    entries.contains { $0.rule.action.kind == .answer && $0.isMatched(by: attempt, at: now) }
  }

  /// The id of a rule that makes saving tokens fail now; counts as a hit.
  package mutating func refuseStorage(at now: ContinuousClock.Instant) -> String? {
    for index in entries.indices where entries[index].refusesStorage(at: now) { return entries[index].id }
    return nil
  }

  // MARK: Changing

  /// The memory that the rules' texts take, in bytes.
  package var textBytes: Int { entries.reduce(0) { $0 + $1.rule.byteCount } }

  /// The limit that `rules` would exceed as additions, or one of them in the place of the rule `id`; nil if there is room.
  package func limit(for rules: [FaultRule], replacing id: String? = nil) -> Limit? {
    let replaced = id.flatMap { entry(id: $0) }
    if entries.count - (replaced == nil ? 0 : 1) + rules.count > Self.limit { return .rules }
    let bytes = textBytes - (replaced?.rule.byteCount ?? 0) + rules.reduce(0) { $0 + $1.byteCount }
    return bytes > Self.textLimit ? .texts : nil
  }

  /// Appends and arms a rule; returns its entry, or nil if the plan is full.
  package mutating func arm(_ rule: FaultRule, id: String, at moment: Moment) -> FaultEntry? {
    guard entries.count < Self.limit else { return nil }
    let entry = FaultEntry(id: id, rule: rule, at: moment)
    entries.append(entry)
    return entry
  }

  /// Changes a rule; false if no rule has the id.
  package mutating func change(id: String, _ change: FaultChange, at moment: Moment) -> Bool {
    guard let index = entries.firstIndex(where: { $0.id == id }) else { return false }
    entries[index].apply(change, at: moment)
    if let position = change.position {
      let entry = entries.remove(at: index)
      entries.insert(entry, at: min(max(position, 0), entries.count))
    }
    return true
  }

  /// Removes a rule; false if no rule has the id.
  package mutating func remove(id: String) -> Bool {
    guard let index = entries.firstIndex(where: { $0.id == id }) else { return false }
    entries.remove(at: index)
    return true
  }

  /// Removes every rule.
  package mutating func removeAll() { entries = [] }

  /// The ids of armed rules that make the backend look unreachable.
  func hidingRuleIDs(at now: ContinuousClock.Instant) -> Set<String> {
    Set(entries.filter { $0.rule.action.kind.hidesBackend && $0.state(at: now) == .armed }.map(\.id))
  }
}
