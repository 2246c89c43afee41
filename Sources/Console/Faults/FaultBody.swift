import Client
import FoundationEssentials
import JSON

/// The JSON of a fault rule with what has become of it (contract §2.5).
package struct FaultBody: Codable, Hashable, Sendable {
  let id: String
  let name: String
  /// The preset that it comes from, unless it was changed.
  let preset: String?
  let match: FaultMatchBody
  let when: FaultWhenBody
  let action: FaultActionBody
  let armedAt: Timestamp
  /// nil for a rule that is armed until somebody ends it.
  let expiresAt: Timestamp?
  let hits: Int
  /// `armed`, `off`, `expired` or `spent`.
  let state: FaultEntry.State

  /// Writes an entry as it is at an instant.
  init(_ entry: FaultEntry, at now: ContinuousClock.Instant) {
    id = entry.id
    name = entry.rule.name
    preset = entry.rule.preset
    match = FaultMatchBody(entry.rule.match)
    when = FaultWhenBody(entry.rule.when)
    action = FaultActionBody(entry.rule.action)
    armedAt = Timestamp(entry.armedAt)
    expiresAt = entry.expiresAt.map { Timestamp($0) }
    hits = entry.hits
    state = entry.state(at: now)
  }
}

/// The JSON of which attempts a rule is about.
struct FaultMatchBody: Codable, Hashable, Sendable {
  var method: String?
  var endpoint: String?

  /// Writes a match.
  init(_ match: FaultRule.Match) { (method, endpoint) = (match.method, match.endpoint) }
}

/// The JSON of on which of those attempts a rule acts.
struct FaultWhenBody: Codable, Hashable, Sendable {
  var skip: Int?
  var every: Int?
  var count: Int?
  var probability: Double?
  var seed: UInt64?

  /// Writes conditions.
  init(_ when: FaultRule.When) {
    skip = when.skip
    every = when.every
    count = when.count
    probability = when.probability
    seed = when.seed
  }
}

/// The JSON of what a rule does.
struct FaultActionBody: Codable, Hashable, Sendable {
  var kind: String
  var status: Int?
  var code: String?
  var retryAfterSeconds: Int?
  var latencyMs: Int?
  var skewSeconds: Int?

  /// Writes an action.
  init(_ action: FaultRule.Action) {
    kind = action.kind.rawValue
    status = action.status
    code = action.code
    retryAfterSeconds = action.retryAfterSeconds
    latencyMs = action.latencyMilliseconds
    skewSeconds = action.skewSeconds
  }
}

/// The JSON of the `fault` event; it carries no name, as a person wrote that.
struct FaultEventBody: Encodable {
  /// What happened.
  enum Kind: String, Encodable {
    /// A rule acted.
    case hit
    /// Rules were armed, changed, dropped or have expired: the list is another.
    case changed
  }

  let kind: Kind
  /// How many rules can act now.
  let armed: Int
  var id: String?
  var hits: Int?
  var state: FaultEntry.State?
}

/// The JSON of a preset.
struct FaultPresetBody: Encodable {
  /// A rule as `POST /api/faults` takes it.
  struct Rule: Encodable {
    let name: String
    let preset: String?
    let match: FaultMatchBody
    let when: FaultWhenBody
    let action: FaultActionBody
    let expiresInSeconds: Int
  }

  let id: String
  let name: String
  let rules: [Rule]

  /// Writes a preset.
  init(_ preset: FaultPreset) {
    id = preset.id
    name = preset.name
    rules = preset.parts.map { part in
      Rule(
        name: part.rule.name, preset: part.rule.preset, match: FaultMatchBody(part.rule.match),
        when: FaultWhenBody(part.rule.when), action: FaultActionBody(part.rule.action), expiresInSeconds: part.lifetime)
    }
  }
}
