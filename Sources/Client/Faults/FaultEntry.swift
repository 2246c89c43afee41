package import FoundationEssentials

/// A rule in a plan with what has become of it.
package struct FaultEntry: Hashable, Sendable {
  /// Whether the rule can act.
  package enum State: String, Codable, CaseIterable, Sendable {
    /// It acts where it fits.
    case armed
    /// It was switched off.
    case off
    /// Its time is over.
    case expired
    /// It acted as often as it may.
    case spent
  }

  package let id: String
  package private(set) var rule: FaultRule
  /// When it was armed last.
  package private(set) var armedAt: Date
  /// When it expires; nil for never.
  package private(set) var expiresAt: Date?
  /// The same on the monotonic clock, which decides.
  package private(set) var expiry: ContinuousClock.Instant?
  /// How often it acted since it was armed.
  package private(set) var hits = 0

  /// For how long it is armed at a time, in seconds; 0 for ever.
  private var lifetime: Int
  private var isOff = false
  /// How many attempts it fitted since it was armed.
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

  /// Whether it can act now.
  package func state(at now: ContinuousClock.Instant) -> State {
    if isOff { return .off }
    if let expiry, now >= expiry { return .expired }
    if let count = rule.when.count ?? rule.action.kind.defaultCount, hits >= count { return .spent }
    return .armed
  }

  /// Whether it acts on an attempt, which it counts.
  mutating func acts(on attempt: FaultAttempt, at now: ContinuousClock.Instant) -> Bool {
    guard state(at: now) == .armed, rule.action.kind.applies(to: attempt),
      rule.match.matches(method: attempt.method, endpoint: attempt.endpoint, path: attempt.path)
    else { return false }
    return countMatch()
  }

  /// Whether it keeps tokens from being written now, which it counts.
  mutating func refusesStorage(at now: ContinuousClock.Instant) -> Bool {
    guard rule.action.kind == .storageFull, state(at: now) == .armed else { return false }
    return countMatch()
  }

  /// Counts one that fits, and tells whether its turn has come.
  private mutating func countMatch() -> Bool {
    seen += 1
    let turn = seen - (rule.when.skip ?? 0)
    guard turn > 0, turn % max(rule.when.every ?? 1, 1) == 0 else { return false }
    if let probability = rule.when.probability, generator.unit() >= probability { return false }
    hits += 1
    return true
  }

  /// Applies what a change says; a rule that becomes another, or is armed again, begins from nothing.
  mutating func apply(_ change: FaultChange, at moment: FaultPlan.Moment) {
    let before = rule
    if let name = change.name { rule.name = name }
    if let match = change.match { rule.match = match }
    if let when = change.when { rule.when = when }
    if let action = change.action { rule.action = action }
    if let lifetime = change.lifetime { self.lifetime = lifetime }
    let isAnother = before.match != rule.match || before.when != rule.when || before.action != rule.action
    // What it does is no longer what the preset does.
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

/// What is to become of a rule; a part that is nil stays.
package struct FaultChange: Hashable, Sendable {
  package var name: String?
  package var match: FaultRule.Match?
  package var when: FaultRule.When?
  package var action: FaultRule.Action?
  /// For how long it is armed from now on, in seconds; 0 for ever.
  package var lifetime: Int?
  /// Switched on, which begins from nothing, or off.
  package var isArmed: Bool?
  /// Its place among the rules, from 0 on; beyond the end is the end.
  package var position: Int?

  /// Makes a change that changes nothing.
  package init() {}
}
