package import Client
import FoundationEssentials
import HTTPTypes
import JSON
import Observability
package import OpenAPI
import Redaction
import Text

/// A fault rule and its state, as the API lists it, and as recordings and exports keep it.
package struct FaultBody: Codable, Hashable, Sendable {
  private enum CodingKeys: String, CodingKey {
    case id, armedAt, expiresAt, hits, state
  }

  let id: String
  /// Without its lifetime, which `expiresAt` replaces.
  var rule: FaultRule
  let armedAt: Timestamp
  /// nil for a rule without an end.
  let expiresAt: Timestamp?
  let hits: Int
  let state: FaultEntry.State

  init(_ entry: FaultEntry, at now: ContinuousClock.Instant) {
    id = entry.id
    rule = entry.rule
    hits = entry.progress.hits
    state = entry.state(at: now)
    rule.lifetime = nil
    armedAt = Timestamp(entry.progress.armedAt)
    expiresAt = entry.progress.expiresAt.map { Timestamp($0) }
  }

  /// Decodes the fields of the rule and of its state, which are in one object.
  package init(from decoder: any Decoder) throws {
    rule = try FaultRule(from: decoder)
    rule.lifetime = nil
    let members = try decoder.container(keyedBy: CodingKeys.self)
    id = try members.decode(String.self, forKey: .id)
    armedAt = try members.decode(Timestamp.self, forKey: .armedAt)
    expiresAt = try members.decodeIfPresent(Timestamp.self, forKey: .expiresAt)
    hits = try members.decode(Int.self, forKey: .hits)
    state = try members.decode(FaultEntry.State.self, forKey: .state)
  }

  package func encode(to encoder: any Encoder) throws {
    try rule.encode(to: encoder)
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(id, forKey: .id)
    try members.encode(armedAt, forKey: .armedAt)
    try members.encodeIfPresent(expiresAt, forKey: .expiresAt)
    try members.encode(hits, forKey: .hits)
    try members.encode(state, forKey: .state)
  }
}

/// The JSON of the `fault` event; it has no name, because a person writes names.
struct FaultEventBody: Encodable {
  /// The kind of a fault event.
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

// MARK: Schemas

extension FaultBody: SchemaProvider {
  package static var schema: Schema {
    .recorded(from: Self.self)
      .selecting(
        ["id", "name", "preset", "match", "when", "action", "armed_at", "expires_at", "hits", "state"],
        requiring: ["name", "match", "when"]
      ).refined(["id": .uuid, "hits": .minimum(0)]).named("Fault")
  }
}

extension FaultRule {
  /// The longest time that a rule can be armed with an end, in seconds: a week.
  private static let longestLifetime = 604_800

  /// The body of `POST /api/faults`.
  static var request: Schema {
    .request(Self.self).refined([
      "name": DisplayName.refinement, "preset": .oneOf(FaultPreset.all.map(\.id)),
      "expires_in_seconds": .range(0...longestLifetime),
    ])
  }

  /// The body of `PATCH /api/faults/{id}`.
  static var change: Schema {
    .request(FaultChange.self).refined([
      "name": DisplayName.refinement, "expires_in_seconds": .range(0...longestLifetime), "position": .range(0...FaultPlan.limit),
    ])
  }
}

extension FaultRule.Match: SchemaProvider {
  package static var schema: Schema {
    .recorded(from: Self.self).open.refined([
      "method": .oneOf(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]),
      "endpoint": .length(1...100) && .pattern("^[A-Za-z0-9./_{}-]*$"), "path": .length(1...OriginFormPath.maximumBytes),
      "query": .maximumLength(OriginFormPath.maximumBytes), "body": .maximumLength(FaultRule.matchBodyLimit),
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

extension FaultRule.Action: SchemaProvider {
  package static var schema: Schema {
    .recorded(from: Self.self).open.refined([
      "status": .range(statuses), "code": .length(1...64) && .pattern("^[A-Za-z0-9_]*$"),
      "retry_after_seconds": .range(1...86_400), "latency_ms": .range(1...600_000),
      "skew_seconds": .range(-315_360_000...315_360_000), "headers[]": .count(2...2), "headers": .count(0...headerLimit),
      "body": .maximumLength(bodyLimit),
    ]).named("FaultAction")
  }
}

extension FaultPreset: SchemaProvider {
  package static var schema: Schema {
    .recorded(from: Self.self).refined(["rules.expires_in_seconds": .minimum(0)])
      .requiring(["name", "preset", "match", "when", "expires_in_seconds"].map { "rules[].\($0)" })
  }
}

extension FaultBody {
  /// The rule as an export contains it: its texts are redacted as those of a row, because a user may have typed secrets into them.
  func redacted(by redactor: Redactor) -> FaultBody {
    let traits = EndpointTraits(name: "fault", isAuthentication: true, logsRequestBody: true, logsResponseBody: true)
    let match = rule.match
    let action = rule.action
    let asked = redactor.redact(
      RawRequest(
        method: .post, origin: "", path: match.path?.written ?? "", query: match.query?.written, endpoint: traits,
        body: Array((match.body?.written ?? "").utf8)))
    let answered = redactor.redact(
      RawResponse(
        status: action.status ?? 0, headers: (action.headers ?? []).map { ($0.name, $0.value.written) },
        body: Array((action.body?.written ?? "").utf8)),
      to: traits)
    var fault = self
    fault.rule.match.path = match.path.map { _ in FaultText(asked.path) }
    fault.rule.match.query = match.query.map { _ in FaultText(asked.query ?? "") }
    // A body that cannot be redacted with certainty, such as text that is not JSON, is left out.
    fault.rule.match.body = match.body.flatMap { _ in asked.message.body.map { FaultText($0) } }
    fault.rule.action.headers = action.headers.map { _ in
      answered.message.headers.map { .init(name: $0.name, value: FaultText($0.value)) }
    }
    fault.rule.action.body = action.body.flatMap { _ in answered.message.body.map { FaultText($0) } }
    return fault
  }

  /// The rule of an imported file: redacted, but masks that it has stay as they are.
  func imported(by redactor: Redactor) -> FaultBody {
    let redacted = redacted(by: redactor).rule
    func kept(_ own: FaultText?, _ other: FaultText?) -> FaultText? {
      own.flatMap { own in other.map { FaultText(MaskSkeleton.keep(own.written, over: $0.written)) } }
    }
    var fault = self
    fault.rule.name = MaskSkeleton.keep(rule.name, over: redactor.redact(text: rule.name, context: .authentication).text)
    fault.rule.match.path = kept(rule.match.path, redacted.match.path)
    fault.rule.match.query = kept(rule.match.query, redacted.match.query)
    fault.rule.match.body = kept(rule.match.body, redacted.match.body)
    fault.rule.action.body = kept(rule.action.body, redacted.action.body)
    fault.rule.action.headers = rule.action.headers.map { fields in
      zip(fields, redacted.action.headers ?? []).map { own, other in
        .init(
          name: MaskSkeleton.keep(own.name, over: other.name),
          value: FaultText(MaskSkeleton.keep(own.value.written, over: other.value.written)))
      }
    }
    return fault
  }
}
