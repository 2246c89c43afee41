package import Explain
package import FoundationEssentials

/// Why a check ends early; its texts identify no user and contain no secret.
enum CheckStop: Error, Hashable {
  /// The backend does not behave as expected.
  case failed(String)
  /// The environment does not allow the check.
  case skipped(String)
}

/// How a check ended.
package enum CheckOutcome: Hashable, Sendable {
  case passed
  /// With the reason.
  case failed(String)
  /// With the reason.
  case skipped(String)

  /// `passed`, `failed` or `skipped`.
  package var word: String {
    switch self {
    case .passed: "passed"
    case .failed: "failed"
    case .skipped: "skipped"
    }
  }

  /// Why it failed or was skipped.
  package var reason: String? {
    switch self {
    case .passed: nil
    case .failed(let reason), .skipped(let reason): reason
    }
  }
}

/// The call at which a check failed, as in the network log, redacted.
package struct ReportedCall: Hashable, Codable, Sendable {
  package let method: String
  package let endpoint: String
  package let path: String
  /// Nil if there was no response.
  package let status: Int?
  /// The backend's error code, or else the client's error.
  package let code: String?
  /// Sent as `X-Request-ID`.
  package let requestID: String

  /// The call in one line.
  package var text: String {
    [method, path, status.map(String.init) ?? "no answer", code, "request \(requestID)"].compactMap { $0 }
      .joined(separator: " ")
  }
}

/// One check and how it ended.
package struct CheckResult: Hashable, Sendable {
  /// Stable over versions.
  package let id: String
  package let group: String
  package let title: String
  package let outcome: CheckOutcome
  package let duration: Duration
  /// The call at which it failed; nil if it did not fail, or failed without a call.
  package let call: ReportedCall?
  /// The client's promises in its calls; a broken promise fails the check.
  package var promises: [ClientPromise] = []
}

extension ClientPromise {
  /// Why a check fails, if the promise is broken.
  var failure: String { "the client broke its promise \(kind.rawValue): \(say)" }
}

/// The results of a run.
package struct CheckReport: Sendable {
  package let backend: String
  package let isEmbedded: Bool
  package let startedAt: Date
  package let duration: Duration
  package let results: [CheckResult]
  /// The part of the checks that ran; nil for all.
  var shard: CheckShard?
  /// The comparison with an OpenAPI document; nil if it was not requested.
  package var drift: DriftReport?

  /// The number of checks with the outcome.
  package func count(_ word: String) -> Int { results.count { $0.outcome.word == word } }

  /// The number of the client's promises that were kept or broken.
  func countPromises(kept: Bool) -> Int { results.reduce(0) { $0 + $1.promises.count { $0.kept == kept } } }

  /// Whether nothing failed, and nothing differs from the OpenAPI document unless that is allowed.
  package var hasPassed: Bool { count("failed") == 0 && drift?.hasPassed != false }
}

extension Duration {
  /// In milliseconds, rounded to a tenth.
  var roundedMilliseconds: Double { (self / .milliseconds(1) * 10).rounded() / 10 }
}
