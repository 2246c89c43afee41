import Explain
import JSON

/// A report for programs, as one JSON object; `version` increases if a member changes its meaning or is removed.
struct JSONReport: Encodable, Sendable {
  /// The backend under check.
  struct Backend: Encodable, Sendable {
    let url: String
    let embedded: Bool
  }

  /// The number of checks for each outcome.
  struct Summary: Encodable, Sendable {
    let passed: Int
    let failed: Int
    let skipped: Int
    /// The number of the client's promises for each outcome.
    let promises: Promises
  }

  /// The number of the client's promises that were kept and broken.
  struct Promises: Encodable, Sendable {
    let kept: Int
    let broken: Int
  }

  /// One check; times in milliseconds.
  struct Check: Encodable, Sendable {
    let id: String
    let group: String
    let title: String
    /// `passed`, `failed` or `skipped`.
    let outcome: String
    let durationMs: Double
    let reason: String?
    let call: ReportedCall?
    let promises: [ClientPromise]
  }

  let format = "understudy-check"
  let version = 1
  let understudy = Version.text
  let startedAt: Timestamp
  let durationMs: Double
  let backend: Backend
  let summary: Summary
  /// The part of the checks, such as `2/3`; nil for all.
  let shard: String?
  let checks: [Check]
  let drift: DriftReport?

  /// Creates the JSON form of a report.
  init(_ report: CheckReport) {
    startedAt = Timestamp(report.startedAt)
    durationMs = report.duration.roundedMilliseconds
    backend = Backend(url: report.backend, embedded: report.isEmbedded)
    summary = Summary(
      passed: report.count("passed"), failed: report.count("failed"), skipped: report.count("skipped"),
      promises: Promises(kept: report.countPromises(kept: true), broken: report.countPromises(kept: false)))
    shard = report.shard?.text
    checks = report.results.map {
      Check(
        id: $0.id, group: $0.group, title: $0.title, outcome: $0.outcome.word, durationMs: $0.duration.roundedMilliseconds,
        reason: $0.outcome.reason, call: $0.call, promises: $0.promises)
    }
    drift = report.drift
  }

  /// The document, on one line.
  var text: String {
    guard let bytes = try? JSONCoding.encode(self, keys: .snakeCase) else { return "" }
    return String(decoding: bytes, as: UTF8.self) + "\n"
  }
}
