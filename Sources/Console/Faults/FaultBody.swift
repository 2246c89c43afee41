package import Client
import FoundationEssentials
import HTTPTypes
import JSON
import Observability
package import OpenAPI
import Redaction

/// The JSON of a fault rule with its state.
package struct FaultBody: Codable, Hashable, Sendable {
  let id: String
  var name: String
  /// The preset that it comes from, unless it was changed.
  let preset: String?
  var match: FaultMatchBody
  let when: FaultRule.When
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
    when = entry.rule.when
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
    let when: FaultRule.When
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
        when: part.rule.when, action: FaultActionBody(part.rule.action), expiresInSeconds: part.lifetime)
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
      "method": .oneOf(methods), "endpoint": .length(1...100) && .pattern("^[A-Za-z0-9./_{}-]*$"),
      "path": .length(1...OriginFormPath.maximumBytes),
      "query": .maximumLength(OriginFormPath.maximumBytes), "body": .maximumLength(bodyLimit),
    ]).named("FaultMatch")
  }
}

extension FaultRule.When: SchemaProvider {
  package static var schema: Schema {
    .recorded(from: Self.self).open.refined([
      "skip": .range(0...1_000_000), "every": .range(1...1000), "count": .range(1...1_000_000),
      "probability": .range(above: 0, upTo: 1), "seed": .range(0...9_007_199_254_740_991),
    ]).named("FaultWhen")
  }
}

extension FaultActionBody: SchemaProvider {
  static var schema: Schema {
    .recorded(from: Self.self).open.refined([
      "kind": .oneOf(FaultKind.allCases.map(\.rawValue)), "status": .range(FaultAnswer.statuses),
      "code": .length(1...64) && .pattern("^[A-Za-z0-9_]*$"),
      "retry_after_seconds": .range(1...86_400), "latency_ms": .range(1...600_000),
      "skew_seconds": .range(-315_360_000...315_360_000), "body": .maximumLength(FaultAnswer.bodyLimit),
    ]).named("FaultAction")
  }
}

extension FaultPresetBody: SchemaProvider {
  static var schema: Schema { .recorded(from: Self.self).refined(["rules.expires_in_seconds": .minimum(0)]) }
}

extension FaultBody {
  /// The rule as an export contains it: its texts are redacted as those of a row, since a user may have typed secrets into them.
  func redacted(by redactor: Redactor) -> FaultBody {
    let traits = EndpointTraits(name: "fault", isAuthentication: true, logsRequestBody: true, logsResponseBody: true)
    let asked = redactor.redact(
      RawRequest(
        method: .post, origin: "", path: match.path ?? "", query: match.query, endpoint: traits,
        body: Array((match.body ?? "").utf8)))
    let answered = redactor.redact(
      RawResponse(
        status: action.status ?? 0, headers: (action.headers ?? []).map { ($0[0], $0[1]) },
        body: Array((action.body ?? "").utf8)),
      to: traits)
    var rule = self
    rule.match.path = match.path.map { _ in asked.path }
    rule.match.query = match.query.map { _ in asked.query ?? "" }
    // What cannot be redacted with certainty, such as text that is not JSON, is left out.
    rule.match.body = match.body.flatMap { _ in asked.message.body }
    rule.action.headers = action.headers.map { _ in answered.message.headers.map { [$0.name, $0.value] } }
    rule.action.body = action.body.flatMap { _ in answered.message.body }
    return rule
  }

  /// The rule of an imported file: redacted, but masks that it has stay as they are.
  func imported(by redactor: Redactor) -> FaultBody {
    let redacted = redacted(by: redactor)
    func kept(_ own: String?, _ other: String?) -> String? {
      own.flatMap { own in other.map { MaskSkeleton.keep(own, over: $0) } }
    }
    var rule = self
    rule.name = MaskSkeleton.keep(name, over: redactor.redact(text: name, context: .authentication).text)
    rule.match.path = kept(match.path, redacted.match.path)
    rule.match.query = kept(match.query, redacted.match.query)
    rule.match.body = kept(match.body, redacted.match.body)
    rule.action.body = kept(action.body, redacted.action.body)
    rule.action.headers = action.headers.map { lines in
      zip(lines, redacted.action.headers ?? []).map { own, other in zip(own, other).map { MaskSkeleton.keep($0, over: $1) } }
    }
    return rule
  }
}
