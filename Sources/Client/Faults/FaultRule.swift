/// A fault to inject and its conditions (`POST /api/faults`); has no clock.
package struct FaultRule: Hashable, Sendable {
  /// The attempts that it matches; a nil property matches all.
  package struct Match: Hashable, Sendable {
    /// The method in upper case.
    package var method: String?
    /// The endpoint's name in the network log, or its path.
    package var endpoint: String?
    package init(method: String? = nil, endpoint: String? = nil) {
      self.method = method
      self.endpoint = endpoint
    }

    /// Whether it matches an attempt; `path` is without the query.
    package func matches(method: String, endpoint: String, path: String) -> Bool {
      if let wanted = self.method, wanted != method { return false }
      if let wanted = self.endpoint, wanted != endpoint, wanted != path { return false }
      return true
    }
  }

  /// To which of the matching attempts it applies.
  package struct When: Hashable, Sendable {
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
    package init(
      _ kind: FaultKind, status: Int? = nil, code: String? = nil, retryAfterSeconds: Int? = nil,
      latencyMilliseconds: Int? = nil, skewSeconds: Int? = nil
    ) {
      self.kind = kind
      self.status = status
      self.code = code
      self.retryAfterSeconds = retryAfterSeconds
      self.latencyMilliseconds = latencyMilliseconds
      self.skewSeconds = skewSeconds
    }
  }

  /// The name that the user gave it.
  package var name: String
  /// The preset that it comes from, so that pages can show the preset's localized name.
  package var preset: String?
  package var match: Match
  package var when: When
  package var action: Action
  package init(name: String, preset: String? = nil, match: Match = Match(), when: When = When(), action: Action) {
    self.name = name
    self.preset = preset
    self.match = match
    self.when = when
    self.action = action
  }
}
