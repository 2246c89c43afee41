package import FoundationEssentials

/// Why a check ends before its end, in words that name nobody and hold no secret.
enum CheckStop: Error, Hashable {
  /// The backend does not do what was expected.
  case failed(String)
  /// It cannot be tried here.
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

  /// Why it is not passed.
  package var reason: String? {
    switch self {
    case .passed: nil
    case .failed(let reason), .skipped(let reason): reason
    }
  }
}

/// The call at which a check failed, as the network log has it, redacted.
package struct FailedCall: Hashable, Encodable, Sendable {
  package let method: String
  package let endpoint: String
  package let path: String
  /// Nil where no answer came.
  package let status: Int?
  /// The backend's code, or else what went wrong in a word.
  package let code: String?
  /// What went out as `X-Request-ID`.
  package let requestID: String

  /// In one line, for people.
  package var text: String {
    [method, path, status.map(String.init) ?? "no answer", code, "request \(requestID)"].compactMap { $0 }
      .joined(separator: " ")
  }
}

/// One check with how it ended.
package struct CheckResult: Hashable, Sendable {
  /// Stable over versions.
  package let id: String
  package let group: String
  package let title: String
  package let outcome: CheckOutcome
  package let duration: Duration
  /// Where it failed; nil where it did not, and where it failed without a call.
  package let call: FailedCall?
}

/// Everything that a run came to.
package struct CheckReport: Sendable {
  package let backend: String
  package let isEmbedded: Bool
  package let startedAt: Date
  package let duration: Duration
  package let results: [CheckResult]
  /// How the embedded backend did beside; nil where it was not asked for.
  package var parity: ParityReport?

  /// How many ended so.
  package func count(_ word: String) -> Int { results.count { $0.outcome.word == word } }

  /// Whether nothing failed.
  package var hasPassed: Bool { count("failed") == 0 }
}
