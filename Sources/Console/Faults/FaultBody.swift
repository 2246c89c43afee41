import Client
import FoundationEssentials
import HTTPTypes
import JSON
package import OpenAPI

/// The JSON of a fault rule with its state.
package struct FaultBody: Codable, Hashable, Sendable {
  let id: String
  var name: String
  /// The preset that it comes from, unless it was changed.
  let preset: String?
  var match: FaultMatchBody
  let when: FaultWhenBody
  var action: FaultActionBody
  let armedAt: Timestamp
  /// nil for a rule without an end.
  let expiresAt: Timestamp?
  let hits: Int
  /// `armed`, `off`, `expired` or `spent`.
  let state: FaultEntry.State

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

/// The JSON of the attempts that a rule matches.
struct FaultMatchBody: Codable, Hashable, Sendable {
  var method: String?
  var endpoint: String?
  var path: String?
  /// Without `?`; an empty one matches calls without a query.
  var query: String?
  var body: String?

  init(_ match: FaultRule.Match) {
    (method, endpoint) = (match.method, match.endpoint)
    (path, query, body) = (match.path?.written, match.query?.written, match.body?.written)
  }
}

/// The JSON of the conditions under which a rule acts on a matching attempt.
struct FaultWhenBody: Codable, Hashable, Sendable {
  var skip: Int?
  var every: Int?
  var count: Int?
  var probability: Double?
  var seed: UInt64?

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
  /// Pairs of a name and a value.
  var headers: [[String]]?
  var body: String?

  init(_ action: FaultRule.Action) {
    kind = action.kind.rawValue
    status = action.status ?? action.answer?.status
    headers = action.answer.flatMap { $0.headers.isEmpty ? nil : $0.headers.map { [$0.name.rawName, $0.value.written] } }
    body = action.answer?.body?.written
    code = action.code
    retryAfterSeconds = action.retryAfterSeconds
    latencyMs = action.latencyMilliseconds
    skewSeconds = action.skewSeconds
  }
}

/// The JSON of the `fault` event; it has no name, because a person writes names.
struct FaultEventBody: Encodable {
  /// What happened.
  enum Kind: String, Encodable {
    /// A rule acted.
    case hit
    /// Rules were armed, changed, removed or have expired.
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
struct FaultPresetBody: Codable {
  /// A rule as `POST /api/faults` accepts it.
  struct Rule: Codable {
    let name: String
    let preset: String
    let match: FaultMatchBody
    let when: FaultWhenBody
    let action: FaultActionBody
    let expiresInSeconds: Int
  }

  let id: String
  let name: String
  let rules: [Rule]

  init(_ preset: FaultPreset) {
    id = preset.id
    name = preset.name
    rules = preset.parts.map { part in
      Rule(
        name: part.rule.name, preset: part.rule.preset ?? preset.id, match: FaultMatchBody(part.rule.match),
        when: FaultWhenBody(part.rule.when), action: FaultActionBody(part.rule.action), expiresInSeconds: part.lifetime)
    }
  }
}

// MARK: Schemas

extension FaultBody: SchemaProvider {
  package static var schema: Schema {
    .recorded(from: Self.self).refined(["id": .uuid, "hits": .minimum(0)]).named("Fault")
  }
}

extension FaultMatchBody: SchemaProvider {
  /// The longest body to compare with, in bytes.
  static let bodyLimit = 64 << 10
  static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]

  static var schema: Schema {
    .recorded(from: Self.self).open.refined([
      "method": .oneOf(methods), "endpoint": .length(1...100), "path": .length(1...OriginFormPath.maximumBytes),
      "query": .maximumLength(OriginFormPath.maximumBytes), "body": .maximumLength(bodyLimit),
    ]).named("FaultMatch")
  }
}

extension FaultWhenBody: SchemaProvider {
  static var schema: Schema {
    .recorded(from: Self.self).open.refined([
      "skip": .range(0...1_000_000), "every": .range(1...1000), "count": .range(1...1_000_000),
      "probability": .range(above: 0, upTo: 1), "seed": .range(0...9_007_199_254_740_991),
    ]).named("FaultWhen")
  }
}

extension FaultActionBody: SchemaProvider {
  static var schema: Schema {
    .recorded(from: Self.self).open.refined([
      "kind": .oneOf(FaultKind.allCases.map(\.rawValue)), "status": .range(FaultAnswer.statuses), "code": .length(1...64),
      "retry_after_seconds": .range(1...86_400), "latency_ms": .range(1...600_000),
      "skew_seconds": .range(-315_360_000...315_360_000), "body": .maximumLength(FaultAnswer.bodyLimit),
    ]).named("FaultAction")
  }
}

extension FaultPresetBody: SchemaProvider {
  static var schema: Schema { .recorded(from: Self.self).refined(["rules.expires_in_seconds": .minimum(0)]) }
}
