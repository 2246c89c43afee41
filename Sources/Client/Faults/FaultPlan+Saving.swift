import FoundationEssentials
import HTTPTypes

extension FaultPlan {
  /// The rules as they are saved; secrets that replaced masks in their texts are left out.
  package var saved: [SavedFault] { entries.map(\.saved) }

  /// The plan of saved rules. They expire when they would have expired by the wall clock.
  package init(_ saved: [SavedFault], at moment: Moment) {
    self.init()
    for fault in saved.prefix(Self.limit) { restore(FaultEntry(fault, at: moment)) }
  }
}

/// A rule and its state, as they are saved.
package struct SavedFault: Codable, Sendable {
  /// A header field of an answer.
  struct Header: Codable {
    let name: String
    let value: String
  }

  /// The response of a rule of kind `answer`.
  struct Answer: Codable {
    let status: Int
    let headers: [Header]
    let body: String?
  }

  let id: String
  let name: String
  let preset: String?
  let method: String?
  let endpoint: String?
  let path: String?
  let query: String?
  let body: String?
  let skip: Int?
  let every: Int?
  let count: Int?
  let probability: Double?
  /// Of 64 bits, which JSON's numbers do not carry everywhere.
  let seed: String?
  let kind: FaultKind
  let status: Int?
  let code: String?
  let retryAfterSeconds: Int?
  let latencyMilliseconds: Int?
  let skewSeconds: Int?
  let answer: Answer?
  let lifetime: Int
  let isOff: Bool
  let seen: Int
  let hits: Int
  let random: String
  let armedAt: Date
  let expiresAt: Date?
}

extension SavedFault {
  /// The saved form of a rule in a state.
  init(_ entry: FaultEntry, lifetime: Int, isOff: Bool, seen: Int, random: UInt64) {
    let rule = entry.rule
    id = entry.id
    (name, preset) = (rule.name, rule.preset)
    (method, endpoint) = (rule.match.method, rule.match.endpoint)
    (path, query, body) = (rule.match.path?.written, rule.match.query?.written, rule.match.body?.written)
    (skip, every, count, probability) = (rule.when.skip, rule.when.every, rule.when.count, rule.when.probability)
    seed = rule.when.seed.map { String($0) }
    (kind, status, code) = (rule.action.kind, rule.action.status, rule.action.code)
    retryAfterSeconds = rule.action.retryAfterSeconds
    latencyMilliseconds = rule.action.latencyMilliseconds
    skewSeconds = rule.action.skewSeconds
    answer = rule.action.answer.map { answer in
      Answer(
        status: answer.status,
        headers: answer.headers.map { Header(name: $0.name.rawName, value: $0.value.written) }, body: answer.body?.written)
    }
    (self.lifetime, self.isOff, self.seen, hits, self.random) = (lifetime, isOff, seen, entry.hits, String(random))
    (armedAt, expiresAt) = (entry.armedAt, entry.expiresAt)
  }

  /// The rule.
  var rule: FaultRule {
    let response = answer.map { answer in
      FaultAnswer(
        status: answer.status,
        headers: answer.headers.compactMap { header in
          HTTPField.Name(header.name).map { FaultAnswer.Header(name: $0, value: FaultText(header.value)) }
        }, body: answer.body.map { FaultText($0) })
    }
    return FaultRule(
      name: name, preset: preset,
      match: .init(
        method: method, endpoint: endpoint, path: path.map { FaultText($0) }, query: query.map { FaultText($0) },
        body: body.map { FaultText($0) }),
      when: .init(skip: skip, every: every, count: count, probability: probability, seed: seed.flatMap { UInt64($0) }),
      action: .init(
        kind, status: status, code: code, retryAfterSeconds: retryAfterSeconds, latencyMilliseconds: latencyMilliseconds,
        skewSeconds: skewSeconds, answer: response))
  }
}
