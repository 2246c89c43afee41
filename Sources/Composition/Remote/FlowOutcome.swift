import JSON

/// What a worker found in one flow: the results of all checks, or why there are none.
struct FlowOutcome: Codable, Sendable {
  /// One check; the duration in milliseconds.
  struct Check: Codable, Sendable {
    let id: String
    let group: String
    let title: String
    /// `passed`, `failed` or `skipped`.
    let outcome: String
    let reason: String?
    let durationMs: Double
    let call: FailedCall?
  }

  /// The backend's address.
  let backend: String
  /// Whether it was one that the worker started for the flow; nil from a worker of an earlier version.
  let isEmbedded: Bool?
  let checks: [Check]
  /// Why the flow did not run, in words.
  let failure: String?

  /// The outcome of a flow that ran.
  init(_ report: CheckReport) {
    backend = report.backend
    isEmbedded = report.isEmbedded
    checks = report.results.map { result in
      Check(
        id: result.id, group: result.group, title: result.title, outcome: result.outcome.word, reason: result.outcome.reason,
        durationMs: result.duration.roundedMilliseconds, call: result.call)
    }
    failure = nil
  }

  /// The outcome of a flow that did not run.
  init(failure: String) { (backend, isEmbedded, checks, self.failure) = ("", nil, [], failure) }

  /// The outcome as it is stored.
  var text: String { get throws { String(decoding: try JSONCoding.encode(self), as: UTF8.self) } }

  /// Reads what was stored; a text of another version is a failure.
  init(text: String) {
    self = (try? JSONCoding.decode(FlowOutcome.self, from: Array(text.utf8))) ?? FlowOutcome(failure: "the result cannot be read")
  }

  /// The results, as those of flow `number`.
  func results(ofFlow number: Int64) -> [CheckResult] {
    guard let failure else { return checks.map { $0.result(ofFlow: number) } }
    return [
      CheckResult(
        id: "\(number)/flow", group: "flow \(number)", title: "A worker runs the flow", outcome: .failed(failure),
        duration: .zero, call: nil)
    ]
  }
}

extension FlowOutcome.Check {
  fileprivate func result(ofFlow number: Int64) -> CheckResult {
    let outcome: CheckOutcome =
      switch self.outcome {
      case "passed": .passed
      case "skipped": .skipped(reason ?? "")
      default: .failed(reason ?? "")
      }
    return CheckResult(
      id: "\(number)/\(id)", group: "flow \(number)", title: title, outcome: outcome, duration: .milliseconds(durationMs),
      call: call)
  }
}
