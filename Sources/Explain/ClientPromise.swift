package import JSON

/// The log's evidence of one of the client's promises, about its retries and its tokens.
package struct ClientPromise: Encodable, Hashable, Sendable {
  package enum Kind: String, Codable, CaseIterable, Sendable {
    /// Nothing is sent before the end of a `Retry-After` (RFC 9110 §10.2.3).
    case retryAfter = "retry_after"
    /// The pauses between attempts grow exponentially.
    case backoff
    /// A call has at most three attempts.
    case attemptLimit = "attempt_limit"
    /// A POST without an `Idempotency-Key` is sent once.
    case noRepeatedPost = "no_repeated_post"
    /// One refresh renews the token for all calls that were rejected with it.
    case singleRefresh = "single_refresh"
    /// A token that was rejected or replaced is not sent again.
    case noStaleToken = "no_stale_token"
    /// The session's tokens are not sent after the sign-out.
    case noTokenAfterSignOut = "no_token_after_sign_out"
    /// A call without a network fails at once.
    case offlineFailsFast = "offline_fails_fast"
  }

  package let kind: Kind
  package let kept: Bool
  /// The rows that prove it, in ascending order.
  package let rows: [Int]
  /// The time of the row that decided it.
  package let at: Timestamp
  /// The value that the client promises; nil if it promises that something does not happen.
  package let promised: Sentence.Value?
  /// The value in the log.
  package let measured: Sentence.Value?
  /// The first fault rule that acted on one of the rows; nil if none did.
  package let faultID: String?
  /// The sentence's name and values, for other languages.
  package let sentence: Sentence
  /// The sentence in English.
  package var say: String { sentence.text }

  private enum CodingKeys: String, CodingKey {
    case kind, kept, rows, say, at, promised, measured, sentence, values
    case faultID = "fault_id"
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(kind, forKey: .kind)
    try container.encode(kept, forKey: .kept)
    try container.encode(rows, forKey: .rows)
    try container.encode(say, forKey: .say)
    try container.encode(at, forKey: .at)
    try container.encodeIfPresent(promised, forKey: .promised)
    try container.encodeIfPresent(measured, forKey: .measured)
    try container.encodeIfPresent(faultID, forKey: .faultID)
    try container.encode(sentence.variant.rawValue, forKey: .sentence)
    try container.encode(sentence.values, forKey: .values)
  }

  func masked(by mask: (String) -> String, path: (String) -> String) -> ClientPromise {
    ClientPromise(
      kind: kind, kept: kept, rows: rows, at: at, promised: promised, measured: measured, faultID: faultID,
      sentence: sentence.masked(by: mask, path: path))
  }

  /// Examples that together have every field, for the API description.
  static var examples: [ClientPromise] {
    [nil, Sentence.Value.span(0)].map { value in
      ClientPromise(
        kind: .backoff, kept: true, rows: [1], at: Timestamp(milliseconds: 0), promised: value, measured: value,
        faultID: value.map { _ in "" }, sentence: Sentence(variant: .promiseBackoff, values: ["row": .row(1)]))
    }
  }
}

/// The pauses that the client promises between the attempts of a call.
package struct RetryPromise: Sendable {
  /// The pause before the second attempt in milliseconds; the next one is twice as long.
  package let firstPause: Int64

  package init(firstPause: Int64 = 1000) { self.firstPause = min(max(firstPause, 0), 1_000_000) }

  /// The most attempts of a call.
  static let attempts = 3
  /// The longest `Retry-After` after which the call continues, in seconds.
  static let longestWait = 2.0

  /// The pause after this number of failures, from 1, in milliseconds.
  func pause(after failures: Int) -> Int64 { firstPause << Int64(min(max(failures, 1), Self.attempts) - 1) }
}
