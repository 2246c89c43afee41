package import FoundationEssentials

/// A rule of a plan and its state.
package struct FaultEntry: Codable, Hashable, Sendable {
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
  package private(set) var progress: FaultProgress

  /// Arms a rule.
  init(id: String, rule: FaultRule, at moment: FaultPlan.Moment) {
    self.id = id
    self.rule = rule
    progress = FaultProgress(rule, at: moment)
  }

  /// Decodes an entry in the current saved form, or in that of earlier versions: all fields of the rule and its progress in the
  /// object with the id.
  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    id = try members.decode(String.self, forKey: .id)
    let isFlat = !members.contains(.rule)
    rule = try isFlat ? FaultRule(flat: decoder) : members.decode(FaultRule.self, forKey: .rule)
    progress = try isFlat ? FaultProgress(from: decoder) : members.decode(FaultProgress.self, forKey: .progress)
  }

  /// The entry after it was saved; its lifetime continued by the wall clock.
  func restored(at moment: FaultPlan.Moment) -> FaultEntry {
    var entry = self
    entry.progress.expiry = progress.expiresAt.map { moment.monotonic + .seconds($0.timeIntervalSince(moment.wall)) }
    return entry
  }

  /// Whether another entry has the same rule, armed at the same time; ignores their counts.
  func isArmed(as other: FaultEntry) -> Bool {
    let one = progress
    let two = other.progress
    return rule == other.rule && one.armedAt == two.armedAt && one.expiry == two.expiry && one.isOff == two.isOff
  }

  /// Its state now.
  package func state(at now: ContinuousClock.Instant) -> State {
    if progress.isOff { return .off }
    if let expiry = progress.expiry, now >= expiry { return .expired }
    if let count = rule.when.count ?? rule.action.kind.defaultCount, progress.hits >= count { return .spent }
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
    progress.seen += 1
    let turn = progress.seen - (rule.when.skip ?? 0)
    guard turn > 0, turn % max(rule.when.every ?? 1, 1) == 0 else { return false }
    if let probability = rule.when.probability, progress.generator.unit() >= probability { return false }
    progress.hits += 1
    return true
  }

  /// The next random number of the rule, for the random parts of its action.
  mutating func drawSeed() -> UInt64 { progress.generator.next() }

  /// Applies a change; a rule with another action, or a rearmed one, starts from zero.
  mutating func apply(_ change: FaultChange, at moment: FaultPlan.Moment) {
    let before = rule
    rule = rule.changed(by: change)
    let isAnother = before.match != rule.match || before.when != rule.when || before.action != rule.action
    // It no longer matches the preset.
    if isAnother { rule.preset = nil }
    if change.isArmed == false {
      progress.isOff = true
    } else if change.isArmed == true || isAnother || change.lifetime != nil {
      progress = FaultProgress(rule, at: moment)
    }
  }
}

/// A rule's progress since it was last armed.
package struct FaultProgress: Codable, Hashable, Sendable {
  private enum CodingKeys: String, CodingKey {
    case armedAt, expiresAt, hits, isOff, seen
    case generator = "random"
  }

  /// When it was last armed.
  package let armedAt: Date
  /// When it expires; nil for never.
  package let expiresAt: Date?
  /// The same on the monotonic clock, which decides.
  package fileprivate(set) var expiry: ContinuousClock.Instant?
  /// How often it applied.
  package fileprivate(set) var hits = 0
  fileprivate var isOff = false
  /// How many attempts matched.
  fileprivate var seen = 0
  fileprivate var generator: SplitMix64

  /// The progress of a rule that is armed at a moment.
  fileprivate init(_ rule: FaultRule, at moment: FaultPlan.Moment) {
    let lifetime = rule.lifetime ?? FaultPlan.defaultLifetime
    armedAt = moment.wall
    expiresAt = lifetime > 0 ? moment.wall.addingTimeInterval(TimeInterval(lifetime)) : nil
    expiry = lifetime > 0 ? moment.monotonic + .seconds(lifetime) : nil
    generator = SplitMix64(seed: rule.when.seed ?? 0)
  }
}

extension FaultRule {
  /// The fields that earlier versions saved in another form than the current one.
  private struct Flat: Decodable {
    struct Header: Decodable {
      let name: String
      let value: FaultText
    }

    struct Answer: Decodable {
      let status: Int
      let headers: [Header]
      let body: FaultText?
    }

    let name: String
    let preset: String?
    let skip: Int?
    let every: Int?
    let count: Int?
    let probability: Double?
    let seed: String?
    let latencyMilliseconds: Int?
    let answer: Answer?
    let lifetime: Int
  }

  /// Decodes a rule in the form of earlier versions, with the fields of all its parts in one object.
  fileprivate init(flat decoder: any Decoder) throws {
    let flat = try Flat(from: decoder)
    self.init(
      name: flat.name, preset: flat.preset, match: try Match(from: decoder),
      when: When(
        skip: flat.skip, every: flat.every, count: flat.count, probability: flat.probability,
        seed: flat.seed.flatMap { UInt64($0) }), action: try Action(from: decoder), lifetime: flat.lifetime)
    action.status = flat.answer?.status ?? action.status
    action.latencyMilliseconds = flat.latencyMilliseconds
    let headers = flat.answer?.headers.map { Action.Header(name: $0.name, value: $0.value) } ?? []
    action.headers = headers.isEmpty ? nil : headers
    // The field of this name belongs to its match.
    action.body = flat.answer?.body
  }
}
