package import Observability

/// The differences between a backend and the embedded one, by check and by response.
package struct ParityReport: Hashable, Encodable, Sendable {
  /// One check on both backends; times in milliseconds.
  package struct Check: Hashable, Encodable, Sendable {
    package let id: String
    /// `same`, `different`, or `not_compared` if one side skipped it.
    package let verdict: String
    package let outcome: String
    package let referenceOutcome: String
    package let durationMs: Double
    package let referenceDurationMs: Double
  }

  /// A kind of response with a different shape; paths look like `profiles[].profile_id`.
  package struct ResponseDifference: Hashable, Encodable, Sendable {
    package let method: String
    package let path: String
    package let status: Int
    /// What only the reference has.
    package let missing: [String]
    /// What only the backend has.
    package let additional: [String]
    package let changed: [ShapeDifference.Change]
  }

  package let checks: [Check]
  /// The responses that differ.
  package let answers: [ResponseDifference]
  /// Responses that only the backend gave, such as `GET /rpc/me 200`.
  package let onlyHere: [String]
  /// Responses that only the reference gave.
  package let onlyReference: [String]

  /// The number of differences in outcomes and shapes.
  package var differences: Int { checks.count { $0.verdict == "different" } + answers.count }

  /// Compares a run with that of the embedded backend.
  init(_ here: CheckRun.Outcome, reference: CheckRun.Outcome) {
    let others = Dictionary(reference.report.results.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    checks = here.report.results.compactMap { result in
      others[result.id].map { Self.check(result, $0) }
    }
    answers = here.shapes.keys.sorted().compactMap { key in
      guard let shape = here.shapes[key], let other = reference.shapes[key] else { return nil }
      return Self.answer(key, shape, other)
    }
    onlyHere = Set(here.shapes.keys).subtracting(reference.shapes.keys).sorted().map(Self.name)
    onlyReference = Set(reference.shapes.keys).subtracting(here.shapes.keys).sorted().map(Self.name)
  }

  private static func name(_ key: CheckNetwork.ResponseKey) -> String { "\(key.method) \(key.path) \(key.status)" }

  private static func check(_ here: CheckResult, _ reference: CheckResult) -> Check {
    let outcomes = [here.outcome.word, reference.outcome.word]
    let verdict = outcomes.contains("skipped") ? "not_compared" : outcomes[0] == outcomes[1] ? "same" : "different"
    return Check(
      id: here.id, verdict: verdict, outcome: outcomes[0], referenceOutcome: outcomes[1],
      durationMs: here.duration.roundedMilliseconds, referenceDurationMs: reference.duration.roundedMilliseconds)
  }

  private static func answer(_ key: CheckNetwork.ResponseKey, _ here: ResponseShape, _ reference: ResponseShape)
    -> ResponseDifference?
  {
    let difference = ShapeDifference(here, reference: reference)
    guard !difference.isEmpty else { return nil }
    return ResponseDifference(
      method: key.method, path: key.path, status: key.status, missing: difference.missing, additional: difference.additional,
      changed: difference.changed)
  }
}

extension Duration {
  /// In milliseconds, rounded to a tenth.
  var roundedMilliseconds: Double { (self / .milliseconds(1) * 10).rounded() / 10 }
}
