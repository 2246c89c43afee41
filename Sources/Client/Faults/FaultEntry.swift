package import FoundationEssentials

/// A rule of a plan and its state.
package struct FaultEntry: Hashable, Sendable {
  package enum State: String, Codable, CaseIterable, Sendable {
    /// It applies to attempts that match.
    case armed
    /// It was disarmed.
    case off
    /// Its time is over.
    case expired
    /// It applied as often as it may.
    case spent
  }

  package let id: String
  package private(set) var rule: FaultRule
  /// When it was last armed.
  package private(set) var armedAt: Date
  /// When it expires; nil for never.
  package private(set) var expiresAt: Date?
  /// The same on the monotonic clock, which decides.
  package private(set) var expiry: ContinuousClock.Instant?
  /// How often it applied since it was armed.
  package private(set) var hits = 0

  /// How long it stays armed, in seconds; 0 for ever.
  private var lifetime: Int
  private var isOff = false
  /// How many attempts matched since it was armed.
  private var seen = 0
  private var generator: SplitMix64

  /// Arms a rule.
  init(id: String, rule: FaultRule, lifetime: Int, at moment: FaultPlan.Moment) {
    self.id = id
    self.rule = rule
    self.lifetime = lifetime
    armedAt = moment.wall
    generator = SplitMix64(seed: rule.when.seed ?? 0)
    arm(at: moment)
  }

  /// A rule as it was saved; its lifetime went on by the wall clock.
  init(_ saved: SavedFault, at moment: FaultPlan.Moment) {
    id = saved.id
    rule = saved.rule
    lifetime = saved.lifetime
    armedAt = saved.armedAt
    expiresAt = saved.expiresAt
    expiry = saved.expiresAt.map { moment.monotonic + .seconds($0.timeIntervalSince(moment.wall)) }
    (isOff, seen, hits) = (saved.isOff, saved.seen, saved.hits)
    generator = SplitMix64(state: UInt64(saved.random) ?? saved.rule.when.seed ?? 0)
  }

  /// Its form for storage.
  package var saved: SavedFault {
    SavedFault(self, lifetime: lifetime, isOff: isOff, seen: seen, random: generator.state)
  }

  /// Whether another entry has the same rule, armed at the same time; what they have counted does not matter.
  func isArmed(as other: FaultEntry) -> Bool {
    rule == other.rule && armedAt == other.armedAt && expiry == other.expiry && isOff == other.isOff && lifetime == other.lifetime
  }

  /// Its state now.
  package func state(at now: ContinuousClock.Instant) -> State {
    if isOff { return .off }
    if let expiry, now >= expiry { return .expired }
    if let count = rule.when.count ?? rule.action.kind.defaultCount, hits >= count { return .spent }
    return .armed
  }

  /// Counts an attempt if it matches and returns whether the rule applies to it.
  mutating func acts(on attempt: FaultAttempt, at now: ContinuousClock.Instant) -> Bool {
    isMatched(by: attempt, at: now) && countMatch()
  }

  /// Whether it is armed and matches an attempt; counts nothing.
  func isMatched(by attempt: FaultAttempt, at now: ContinuousClock.Instant) -> Bool {
    state(at: now) == .armed && rule.action.kind.applies(to: attempt) && rule.match.matches(attempt)
  }

  /// Counts an attempt to save tokens and returns whether the rule makes it fail.
  mutating func refusesStorage(at now: ContinuousClock.Instant) -> Bool {
    guard rule.action.kind == .storageFull, state(at: now) == .armed else { return false }
    return countMatch()
  }

  /// Counts a match and returns whether the rule applies to it.
  private mutating func countMatch() -> Bool {
    seen += 1
    let turn = seen - (rule.when.skip ?? 0)
    guard turn > 0, turn % max(rule.when.every ?? 1, 1) == 0 else { return false }
    if let probability = rule.when.probability, generator.unit() >= probability { return false }
    hits += 1
    return true
  }

  /// The next random number of the rule, for what its action leaves to chance.
  mutating func drawSeed() -> UInt64 { generator.next() }

  /// Applies a change; a rule that does something else, or is armed again, starts from zero.
  mutating func apply(_ change: FaultChange, at moment: FaultPlan.Moment) {
    let before = rule
    if let name = change.name { rule.name = name }
    if let match = change.match { rule.match = match }
    if let when = change.when { rule.when = when }
    if let action = change.action { rule.action = action }
    if let lifetime = change.lifetime { self.lifetime = lifetime }
    let isAnother = before.match != rule.match || before.when != rule.when || before.action != rule.action
    // It no longer does what the preset does.
    if isAnother { rule.preset = nil }
    if change.isArmed == false {
      isOff = true
    } else if change.isArmed == true || isAnother || change.lifetime != nil {
      arm(at: moment)
    }
  }

  private mutating func arm(at moment: FaultPlan.Moment) {
    isOff = false
    hits = 0
    seen = 0
    generator = SplitMix64(seed: rule.when.seed ?? 0)
    armedAt = moment.wall
    expiresAt = lifetime > 0 ? moment.wall.addingTimeInterval(TimeInterval(lifetime)) : nil
    expiry = lifetime > 0 ? moment.monotonic + .seconds(lifetime) : nil
  }
}

/// A change of a rule; nil leaves a property as it is.
package struct FaultChange: Hashable, Sendable {
  package var name: String?
  package var match: FaultRule.Match?
  package var when: FaultRule.When?
  package var action: FaultRule.Action?
  /// How long it stays armed from now on, in seconds; 0 for ever.
  package var lifetime: Int?
  /// Armed, starting from zero, or disarmed.
  package var isArmed: Bool?
  /// Its index among the rules; clamped to the end.
  package var position: Int?

  /// Creates a change without effect.
  package init() {}
}
