import JSON

/// A fault to inject and its conditions (`POST /api/faults`); has no clock.
package struct FaultRule: Hashable, Sendable {
  /// The attempts that it matches; a nil property matches all.
  package struct Match: Hashable, Sendable {
    /// The method in upper case.
    package var method: String?
    /// The endpoint's name in the network log, or its path.
    package var endpoint: String?
    /// The path as sent, without the query.
    package var path: FaultText?
    /// The query as sent, without `?`; an empty one matches attempts without a query.
    package var query: FaultText?
    /// The body: equal as JSON if both are JSON, else byte for byte.
    package var body: FaultText?
    package init(
      method: String? = nil, endpoint: String? = nil, path: FaultText? = nil, query: FaultText? = nil, body: FaultText? = nil
    ) {
      self.method = method
      self.endpoint = endpoint
      self.path = path
      self.query = query
      self.body = body
    }

    /// Whether query and body do not matter, so that a row of the log has all there is to compare.
    package var ignoresQueryAndBody: Bool { query == nil && body == nil }

    /// Whether it matches an attempt. With `isMasked`, the attempt comes from the log, where masks are in the place of secrets.
    package func matches(_ attempt: FaultAttempt, isMasked: Bool = false) -> Bool {
      if let method, method != attempt.method { return false }
      if let endpoint, endpoint != attempt.endpoint, endpoint != attempt.path { return false }
      func shown(_ text: FaultText) -> String { isMasked ? text.written : text.value }
      if let path, shown(path) != attempt.path { return false }
      if let query, shown(query) != attempt.query ?? "" { return false }
      if let body, !Self.isSame(Array(shown(body).utf8), attempt.body ?? []) { return false }
      return true
    }

    private static func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
      if one == other { return true }
      guard let one = try? JSONDocument(parsing: one), let other = try? JSONDocument(parsing: other) else { return false }
      return one.root.isEqual(to: other.root)
    }
  }

  /// To which of the matching attempts it applies.
  package struct When: Codable, Hashable, Sendable {
    /// Skips the first attempts.
    package var skip: Int?
    /// Applies to every n-th of the rest; nil for each.
    package var every: Int?
    /// The most times that it applies; nil for the default of its kind.
    package var count: Int?
    /// The probability that it applies, 0 to 1; nil for always.
    package var probability: Double?
    /// The seed of the random sequence; the same seed makes the same decisions.
    package var seed: UInt64?
    package init(skip: Int? = nil, every: Int? = nil, count: Int? = nil, probability: Double? = nil, seed: UInt64? = nil) {
      self.skip = skip
      self.every = every
      self.count = count
      self.probability = probability
      self.seed = seed
    }
  }

  /// What it does.
  package struct Action: Hashable, Sendable {
    package var kind: FaultKind
    /// The status of the response; nil for 503.
    package var status: Int?
    /// The error code of the response; nil for the usual one of the status.
    package var code: String?
    /// Sent as `Retry-After`, in seconds.
    package var retryAfterSeconds: Int?
    /// The delay; for `timeout`, the time until the attempt times out.
    package var latencyMilliseconds: Int?
    /// The clock skew in seconds; negative if the clock is slow.
    package var skewSeconds: Int?
    /// The response of an `answer` rule; nil for 200 without a body.
    package var answer: FaultAnswer?
    package init(
      _ kind: FaultKind, status: Int? = nil, code: String? = nil, retryAfterSeconds: Int? = nil,
      latencyMilliseconds: Int? = nil, skewSeconds: Int? = nil, answer: FaultAnswer? = nil
    ) {
      self.kind = kind
      self.status = status
      self.code = code
      self.retryAfterSeconds = retryAfterSeconds
      self.latencyMilliseconds = latencyMilliseconds
      self.skewSeconds = skewSeconds
      self.answer = answer
    }
  }

  /// The name that the user gave it.
  package var name: String
  /// The preset that it comes from, so that pages can show the preset's localized name.
  package var preset: String?
  package var match: Match
  package var when: When
  package var action: Action

  /// The texts of its match and its answer.
  package var texts: [FaultText] {
    let answer = action.answer
    return [match.path, match.query, match.body, answer?.body].compactMap { $0 } + (answer?.headers.map(\.value) ?? [])
  }

  /// The memory that its texts take, in bytes.
  var byteCount: Int { texts.reduce(0) { $0 + $1.byteCount } }

  package init(name: String, preset: String? = nil, match: Match = Match(), when: When = When(), action: Action) {
    self.name = name
    self.preset = preset
    self.match = match
    self.when = when
    self.action = action
  }
}
