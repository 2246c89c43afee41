import Client
import Observability
import Redaction
import OpenAPI
import Vault
import Text

/// A fault rule, or a change of one, as a caller describes it. The schemas have the range of every number; a kind accepts only the
/// values that it uses.
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

  /// The rule to arm and for how many seconds; throws `invalid_request` with the member that is wrong, or `not_replayable` if the
  /// secret of a mask is no longer known.
  func rule(secrets: SecretRegistry) throws -> (rule: FaultRule, lifetime: Int) {
    guard let action else { throw Problem.invalidRequest("A rule needs an action.", field: "action") }
    let masks = MaskFilling(secrets)
    let checked = try Self.action(action, masks)
    let rule = FaultRule(
      name: try name.map(Self.name) ?? checked.kind.rawValue, preset: try preset.map(Self.preset),
      match: try match?.checked(masks: masks) ?? .init(), when: Self.when(when), action: checked)
    try Self.fit(rule)
    return (rule, expiresInSeconds ?? FaultPlan.defaultLifetime)
  }

  /// The change to make to a rule, and the rule after it; throws as `rule()`.
  func change(of rule: FaultRule, secrets: SecretRegistry) throws -> (FaultChange, FaultRule) {
    let masks = MaskFilling(secrets, changing: rule)
    var change = FaultChange()
    change.name = try name.map(Self.name)
    change.match = try match?.checked(masks: masks)
    change.when = when.map { Self.when($0) }
    change.action = try action.map { try Self.action($0, masks) }
    change.lifetime = expiresInSeconds
    change.isArmed = armed
    change.position = position
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

  private static func when(_ given: FaultRule.When?) -> FaultRule.When {
    guard var when = given else { return FaultRule.When() }
    if when.probability != nil, when.seed == nil {
      // A random run has to be repeatable to be of use in a report.
      when.seed = SecureRandom.bytes(4).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    return when
  }

  private static func action(_ body: FaultActionBody, _ masks: MaskFilling) throws -> FaultRule.Action {
    guard let kind = FaultKind(rawValue: body.kind) else {
      throw Problem.invalidRequest("There is no such kind.", field: "action.kind")
    }
    if kind == .answer {
      try refuse("code", body.code != nil, kind)
      try refuse("retry_after_seconds", body.retryAfterSeconds != nil, kind)
      try refuse("skew_seconds", body.skewSeconds != nil, kind)
      return FaultRule.Action(kind, latencyMilliseconds: body.latencyMs, answer: try body.answer(masks: masks))
    }
    try refuse("headers", body.headers != nil, kind)
    try refuse("body", body.body != nil, kind)
    // An answer alone can be a success.
    if let status = body.status, status < 300 {
      throw Problem.invalidRequest("The status of a failure is from 300 to 599.", field: "action.status")
    }
    return FaultRule.Action(
      kind, status: body.status, code: body.code, retryAfterSeconds: body.retryAfterSeconds, latencyMilliseconds: body.latencyMs,
      skewSeconds: body.skewSeconds)
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
}
