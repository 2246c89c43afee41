import Client
import Observability
import Redaction
import OpenAPI
import Vault
import Text

/// A fault rule, or a change of one, as a caller describes it. Every number has a range, and a kind accepts only the values
/// that it uses.
struct FaultInput: Decodable, Sendable {
  let name: String?
  let preset: String?
  let match: FaultMatchBody?
  let when: FaultRule.When?
  let action: FaultActionBody?
  let expiresInSeconds: Int?
  /// Switches a rule on or off; for a change alone.
  let armed: Bool?
  /// Its place among the rules; for a change alone.
  let position: Int?

  /// The longest time that a rule can be armed with an end, in seconds: a week.
  private static let longestLifetime = 604_800
  /// The largest integer that JavaScript represents exactly.
  private static let largestSeed: UInt64 = (1 << 53) - 1

  /// The rule to arm and for how many seconds; throws `invalid_request` with the member that is wrong, or `not_replayable` if the
  /// secret of a mask is no longer known.
  func rule(secrets: SecretRegistry) throws -> (rule: FaultRule, lifetime: Int) {
    guard let action else { throw Problem.invalidRequest("A rule needs an action.", field: "action") }
    let masks = MaskFilling(secrets)
    let checked = try Self.action(action, masks)
    let rule = FaultRule(
      name: try name.map(Self.name) ?? checked.kind.rawValue, preset: try preset.map(Self.preset),
      match: try match?.checked(masks: masks) ?? .init(), when: try Self.when(when), action: checked)
    try Self.fit(rule)
    return (rule, try lifetime() ?? FaultPlan.defaultLifetime)
  }

  /// The change to make to a rule, and the rule after it; throws as `rule()`.
  func change(of rule: FaultRule, secrets: SecretRegistry) throws -> (FaultChange, FaultRule) {
    let masks = MaskFilling(secrets, changing: rule)
    var change = FaultChange()
    change.name = try name.map(Self.name)
    change.match = try match?.checked(masks: masks)
    change.when = try when.map { try Self.when($0) }
    change.action = try action.map { try Self.action($0, masks) }
    change.lifetime = try lifetime()
    change.isArmed = armed
    change.position = try position.map { try Self.number($0, 0...FaultPlan.limit, "position") }
    var changed = rule
    changed.match = change.match ?? rule.match
    changed.when = change.when ?? rule.when
    changed.action = change.action ?? rule.action
    try Self.fit(changed)
    return (change, changed)
  }

  /// The body of `POST /api/faults`.
  static var newRule: Schema {
    refined.selecting(["name", "preset", "match", "when", "action", "expires_in_seconds"], requiring: ["action"])
  }

  /// The body of `PATCH /api/faults/{id}`.
  static var change: Schema { refined.selecting(["name", "match", "when", "action", "expires_in_seconds", "armed", "position"]) }

  private static var refined: Schema {
    .request(Self.self).refined([
      "name": .length(1...60), "expires_in_seconds": .range(0...longestLifetime), "position": .range(0...FaultPlan.limit),
    ])
  }

  private func lifetime() throws -> Int? {
    try expiresInSeconds.map { try Self.number($0, 0...Self.longestLifetime, "expires_in_seconds") }
  }

  private static func name(_ text: String) throws -> String {
    let name = text.trimmingWhitespace
    guard DeviceRoutes.isName(name) else {
      throw Problem.invalidRequest("A name has 1 to 60 characters.", field: "name")
    }
    return name
  }

  private static func preset(_ id: String) throws -> String {
    guard FaultPreset.named(id) != nil else { throw Problem.invalidRequest("There is no such preset.", field: "preset") }
    return id
  }

  private static func when(_ given: FaultRule.When?) throws -> FaultRule.When {
    guard var when = given else { return FaultRule.When() }
    if let probability = when.probability, !(probability > 0 && probability <= 1) {
      throw Problem.invalidRequest("A probability is greater than 0 and at most 1.", field: "when.probability")
    }
    if let seed = when.seed, seed > largestSeed {
      throw Problem.invalidRequest("A seed is a number from 0 to \(largestSeed).", field: "when.seed")
    }
    when.skip = try when.skip.map { try number($0, 0...1_000_000, "when.skip") }
    when.every = try when.every.map { try number($0, 1...1000, "when.every") }
    when.count = try when.count.map { try number($0, 1...1_000_000, "when.count") }
    if when.probability != nil, when.seed == nil {
      // A random run has to be repeatable to be of use in a report.
      when.seed = SecureRandom.bytes(4).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    return when
  }

  private static func action(_ body: FaultActionBody, _ masks: MaskFilling) throws -> FaultRule.Action {
    guard let kind = FaultKind(rawValue: body.kind) else {
      throw Problem.invalidRequest(
        "A kind is one of \(FaultKind.allCases.map(\.rawValue).joined(separator: ", ")).", field: "action.kind")
    }
    if let code = body.code {
      let isWord = code.utf8.allSatisfy { ASCII.isDigit($0) || (0x61...0x7A).contains($0 | 0x20) || $0 == 0x5F }
      guard (1...64).contains(code.utf8.count), isWord else {
        throw Problem.invalidRequest("A code has 1 to 64 letters, digits or underscores.", field: "action.code")
      }
    }
    if kind == .answer {
      try refuse("code", body.code != nil, kind)
      try refuse("retry_after_seconds", body.retryAfterSeconds != nil, kind)
      try refuse("skew_seconds", body.skewSeconds != nil, kind)
      return FaultRule.Action(kind, latencyMilliseconds: try latency(body), answer: try body.answer(masks: masks))
    }
    try refuse("headers", body.headers != nil, kind)
    try refuse("body", body.body != nil, kind)
    return FaultRule.Action(
      kind, status: try body.status.map { try number($0, 300...599, "action.status") }, code: body.code,
      retryAfterSeconds: try body.retryAfterSeconds.map { try number($0, 1...86_400, "action.retry_after_seconds") },
      latencyMilliseconds: try latency(body),
      skewSeconds: try body.skewSeconds.map { try number($0, -315_360_000...315_360_000, "action.skew_seconds") })
  }

  private static func latency(_ body: FaultActionBody) throws -> Int? {
    try body.latencyMs.map { try number($0, 1...600_000, "action.latency_ms") }
  }

  /// Throws if a kind gets a value that it does not use.
  private static func refuse(_ member: String, _ isThere: Bool, _ kind: FaultKind) throws {
    guard isThere else { return }
    throw Problem.invalidRequest("The kind \(kind.rawValue) does not use \(member).", field: "action.\(member)")
  }

  /// Throws if a kind gets a value that it does not use, or lacks one that it needs.
  private static func fit(_ rule: FaultRule) throws {
    let action = rule.action
    func refuse(_ member: String, _ isThere: Bool, unless kinds: Set<FaultKind>) throws {
      try Self.refuse(member, isThere && !kinds.contains(action.kind), action.kind)
    }
    try refuse("status", action.status != nil, unless: [.status])
    try refuse("code", action.code != nil, unless: [.status, .rateLimit, .revokeRefreshToken])
    try refuse("retry_after_seconds", action.retryAfterSeconds != nil, unless: [.status, .rateLimit])
    try refuse("skew_seconds", action.skewSeconds != nil, unless: [.clockSkew])
    let isOfTheDevice = action.kind == .clockSkew || action.kind == .storageFull
    try refuse(
      "latency_ms", action.latencyMilliseconds != nil, unless: Set(FaultKind.allCases).subtracting([.clockSkew, .storageFull]))
    if action.kind == .latency, action.latencyMilliseconds == nil {
      throw Problem.invalidRequest("A latency needs its length.", field: "action.latency_ms")
    }
    if action.kind == .clockSkew, action.skewSeconds ?? 0 == 0 {
      throw Problem.invalidRequest("A clock skew needs its size.", field: "action.skew_seconds")
    }
    // Clock and disk belong to the device, not to a single call.
    if isOfTheDevice, rule.match != .init() {
      throw Problem.invalidRequest("The kind \(action.kind.rawValue) applies to every call.", field: "match")
    }
    if action.kind == .clockSkew, rule.when.skip != nil || rule.when.every != nil || rule.when.probability != nil {
      throw Problem.invalidRequest("A clock skew applies all the time.", field: "when")
    }
  }

  private static func number(_ value: Int, _ range: ClosedRange<Int>, _ field: String) throws -> Int {
    guard range.contains(value) else {
      throw Problem.invalidRequest("The number has to be from \(range.lowerBound) to \(range.upperBound).", field: field)
    }
    return value
  }
}
