package import JSON

/// Why a session ended, as far as a log shows it.
package struct Explanation: Encodable, Sendable {
  package enum Verdict: String, Codable, CaseIterable, Sendable {
    case signedOut = "signed_out"
    case sessionKept = "session_kept"
    case unknown
  }

  /// A row that a finding names.
  package struct Row: Encodable, Sendable {
    package let row: Int
    package let at: Timestamp
    package let method: String
    /// Without the query, and without segments that can be a value.
    package let path: String
    /// nil if the app got no response.
    package let status: Int?
  }

  package let verdict: Verdict
  /// Ordered by time; empty if the session was kept.
  package let findings: [Finding]
  /// The lines of refresh tokens, each with its replacements.
  package let families: [TokenFamily]
  /// The parts that the log lacks for a better explanation, in English.
  package let missing: [String]
  /// The same for other languages.
  package let lacks: [Sentence]
  /// The rows of the findings, in order.
  package let evidence: [Row]
  /// The promises of the log's client; nil for a log of another client.
  package var promises: [ClientPromise]?

  /// The kinds whose time is that of a mistake, not of an end.
  private static let mistakes: Set<Finding.Kind> = [.sentAfterSignOut, .tokenUsedAfterRefusal, .retryAfterIgnored]

  /// The verdict as a sentence, with the end of the session.
  package var headline: String {
    switch verdict {
    case .sessionKept: "The session was kept."
    case .unknown: "The file does not show whether the session was kept."
    case .signedOut:
      findings.lazy.filter { !Self.mistakes.contains($0.kind) }.compactMap(\.at).max()
        .map { "Signed out at \(Sentence.Value.clock($0.milliseconds)) on \($0.text.prefix(10))." } ?? "Signed out."
    }
  }

  /// The explanation with every text of the log changed by `mask`, and every path by `path`.
  package func masked(by mask: (String) -> String, path: (String) -> String) -> Explanation {
    Explanation(
      verdict: verdict, findings: findings.map { $0.masked(by: mask, path: path) }, families: families, missing: missing,
      lacks: lacks,
      evidence: evidence.map {
        Row(row: $0.row, at: $0.at, method: mask($0.method), path: path($0.path), status: $0.status)
      },
      promises: promises.map { $0.map { $0.masked(by: mask, path: path) } })
  }

  /// Examples that together have every field, for the API description.
  package static var examples: [Explanation] {
    let start = Timestamp(milliseconds: 0)
    var example = Explanation(
      verdict: .signedOut,
      findings: [Finding(.fault, rows: [1], at: 0, .fault, ["name": .text(""), "row": .row(1)])],
      families: [TokenFamily(firstRow: 1, uses: [TokenFamily.Use(row: 1, at: start, what: .issued)])], missing: [""],
      lacks: [Sentence(variant: .missingCause, values: ["row": .row(1)])],
      evidence: [Row(row: 1, at: start, method: "GET", path: "/", status: 200)])
    let other = example
    example.promises = ClientPromise.examples
    return [example, other]
  }
}

/// A refresh token with its replacements.
package struct TokenFamily: Encodable, Sendable {
  package enum What: String, Codable, CaseIterable, Sendable {
    /// A sign-in or a refresh returned the token.
    case issued
    /// The app sent it.
    case sent
    /// The backend exchanged it for another one, or for a new access token.
    case replaced
    /// The backend rejected it.
    case refused
    /// The app sent it and got no response.
    case lost
  }

  package struct Use: Encodable, Sendable {
    package let row: Int
    package let at: Timestamp
    package let what: What
  }

  package let firstRow: Int
  package let uses: [Use]

  private enum CodingKeys: String, CodingKey {
    case uses
    case firstRow = "first_row"
  }
}

/// A cause, with the rows that prove it.
package struct Finding: Encodable, Sendable {
  package enum Kind: String, Codable, CaseIterable, Sendable {
    case refreshRace = "refresh_race"
    case refreshAnswerLost = "refresh_answer_lost"
    case refreshTokenReused = "refresh_token_reused"
    case refreshExpired = "refresh_expired"
    case refreshRefused = "refresh_refused"
    case refreshNotAVerdict = "refresh_not_a_verdict"
    case refreshNeverSent = "refresh_never_sent"
    case rejectedAfterRefresh = "rejected_after_refresh"
    case clockSkew = "clock_skew"
    case wrongTokenSent = "wrong_token_sent"
    case tokenUsedAfterRefusal = "token_used_after_refusal"
    case signedOutElsewhere = "signed_out_elsewhere"
    case retryAfterIgnored = "retry_after_ignored"
    case sentAfterSignOut = "sent_after_sign_out"
    case userSignedOut = "user_signed_out"
    case fault
    case notRecorded = "not_recorded"
  }

  package let kind: Kind
  /// In ascending order.
  package let rows: [Int]
  /// The end of the session, or the moment of a mistake that did not end it.
  package let at: Timestamp?
  /// The sentence's name and values, for other languages.
  package let sentence: Sentence
  /// The sentence in English.
  package var say: String { sentence.text }

  init(_ kind: Kind, rows: some Sequence<Int>, at: Int64?, _ variant: Sentence.Variant, _ values: [String: Sentence.Value]) {
    self.kind = kind
    self.rows = Set(rows).sorted()
    self.at = at.map { Timestamp(milliseconds: $0) }
    sentence = Sentence(variant: variant, values: values)
  }

  private init(_ finding: Finding, _ sentence: Sentence) {
    kind = finding.kind
    rows = finding.rows
    at = finding.at
    self.sentence = sentence
  }

  fileprivate func masked(by mask: (String) -> String, path: (String) -> String) -> Finding {
    Finding(self, sentence.masked(by: mask, path: path))
  }

  private enum CodingKeys: String, CodingKey { case kind, rows, say, at, sentence, values }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(kind, forKey: .kind)
    try container.encode(rows, forKey: .rows)
    try container.encode(say, forKey: .say)
    try container.encodeIfPresent(at, forKey: .at)
    try container.encode(sentence.variant.rawValue, forKey: .sentence)
    try container.encode(sentence.values, forKey: .values)
  }
}
