/// One thing to break on purpose, and when (contract §2.5); what can be said of it without a clock.
package struct FaultRule: Hashable, Sendable {
  /// Which attempts it is about; a part that is nil fits all.
  package struct Match: Hashable, Sendable {
    /// The method, upper case.
    package var method: String?
    /// What the network log calls the endpoint, or its path.
    package var endpoint: String?

    /// Makes a match of its parts.
    package init(method: String? = nil, endpoint: String? = nil) {
      self.method = method
      self.endpoint = endpoint
    }

    /// Whether an attempt with these is one of them; `path` is without the query.
    package func matches(method: String, endpoint: String, path: String) -> Bool {
      if let wanted = self.method, wanted != method { return false }
      if let wanted = self.endpoint, wanted != endpoint, wanted != path { return false }
      return true
    }
  }

  /// On which of those attempts it acts.
  package struct When: Hashable, Sendable {
    /// So many are let through first.
    package var skip: Int?
    /// Of the others every so manieth is taken; nil for each.
    package var every: Int?
    /// It acts so often, then it is spent; nil for what its kind says.
    package var count: Int?
    /// It acts by chance, 0 to 1; nil for always.
    package var probability: Double?
    /// Which sequence of chances; the same seed makes the same decisions.
    package var seed: UInt64?

    /// Makes conditions of their parts.
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
    /// The status of the answer; nil for 503.
    package var status: Int?
    /// The backend's code in the answer; nil for the one that goes with the status.
    package var code: String?
    /// Goes out as `Retry-After`, in seconds.
    package var retryAfterSeconds: Int?
    /// How long before it happens; for a timeout, how long until it is given up.
    package var latencyMilliseconds: Int?
    /// How far the wall clock is ahead, in seconds; negative for behind.
    package var skewSeconds: Int?

    /// Makes an action of its parts.
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

  /// What its owner calls it.
  package var name: String
  /// The preset that it comes from, so that pages name it in the reader's language.
  package var preset: String?
  package var match: Match
  package var when: When
  package var action: Action

  /// Makes a rule of its parts.
  package init(name: String, preset: String? = nil, match: Match = Match(), when: When = When(), action: Action) {
    self.name = name
    self.preset = preset
    self.match = match
    self.when = when
    self.action = action
  }
}
