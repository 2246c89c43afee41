import JSON

/// A fault to inject and its conditions, coded as `POST /api/faults` takes it; has no clock.
package struct FaultRule: Codable, Hashable, Sendable {
  /// The attempts that it matches; a nil property matches all.
  package struct Match: Codable, Hashable, Sendable {
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

    /// Whether query and body do not matter, so that a row of the log has everything to compare.
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

    /// The maximum number of steps of a comparison, so that two large bodies with differently ordered fields do not take long.
    private static let equalityWork = 2_000_000

    private static func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
      if one == other { return true }
      guard let one = try? JSONDocument(parsing: one), let other = try? JSONDocument(parsing: other) else { return false }
      var work = equalityWork
      return one.root.isEqual(to: other.root, work: &work)
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

  /// Its effect.
  package struct Action: Codable, Hashable, Sendable {
    /// A header field, coded as a pair of its name and its value.
    package struct Header: Codable, Hashable, Sendable {
      package let name: String
      package let value: FaultText
      package init(name: String, value: FaultText) {
        self.name = name
        self.value = value
      }

      package init(from decoder: any Decoder) throws {
        var pair = try decoder.unkeyedContainer()
        name = try pair.decode(String.self)
        value = try pair.decode(FaultText.self)
        guard pair.isAtEnd else {
          throw DecodingError.dataCorruptedError(in: pair, debugDescription: "a header field is a name and a value")
        }
      }

      package func encode(to encoder: any Encoder) throws {
        var pair = encoder.unkeyedContainer()
        try pair.encode(name)
        try pair.encode(value)
      }
    }

    private enum CodingKeys: String, CodingKey {
      case kind, status, code, retryAfterSeconds, skewSeconds, headers, body
      case latencyMilliseconds = "latencyMs"
    }

    package var kind: FaultKind
    /// The status of the response; nil for 503, or for 200 in an `answer` rule.
    package var status: Int?
    /// The error code of the response; nil for the usual one of the status.
    package var code: String?
    /// Sent as `Retry-After`, in seconds.
    package var retryAfterSeconds: Int?
    /// The delay; for `timeout`, the time until the attempt times out.
    package var latencyMilliseconds: Int?
    /// The clock skew in seconds; negative if the clock is slow.
    package var skewSeconds: Int?
    /// The header fields of the response of an `answer` rule.
    package var headers: [Header]?
    /// The body of the response of an `answer` rule; nil for none.
    package var body: FaultText?
    package init(
      _ kind: FaultKind, status: Int? = nil, code: String? = nil, retryAfterSeconds: Int? = nil,
      latencyMilliseconds: Int? = nil, skewSeconds: Int? = nil, headers: [Header]? = nil, body: FaultText? = nil
    ) {
      self.kind = kind
      self.status = status
      self.code = code
      self.retryAfterSeconds = retryAfterSeconds
      self.latencyMilliseconds = latencyMilliseconds
      self.skewSeconds = skewSeconds
      self.headers = headers
      self.body = body
    }
  }

  private enum CodingKeys: String, CodingKey {
    case name, preset, match, when, action
    case lifetime = "expiresInSeconds"
  }

  /// The name that the user gave it.
  package var name: String
  /// The preset that it comes from, so that pages can show the preset's localized name.
  package var preset: String?
  package var match: Match
  package var when: When
  package var action: Action

  /// How long it stays armed, in seconds; 0 for no end, nil for 15 minutes.
  package var lifetime: Int?

  /// The texts of its match and of its response.
  package var texts: [FaultText] {
    [match.path, match.query, match.body, action.body].compactMap { $0 } + (action.headers ?? []).map(\.value)
  }

  /// The memory that its texts take, in bytes.
  var byteCount: Int { texts.reduce(0) { $0 + $1.byteCount } }

  package init(
    name: String, preset: String? = nil, match: Match = Match(), when: When = When(), action: Action, lifetime: Int? = nil
  ) {
    self.name = name
    self.preset = preset
    self.match = match
    self.when = when
    self.action = action
    self.lifetime = lifetime
  }

  /// Decodes a rule, of which only the action is required; its name is that of its kind by default.
  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    action = try members.decode(Action.self, forKey: .action)
    name = try members.decodeIfPresent(String.self, forKey: .name) ?? action.kind.rawValue
    preset = try members.decodeIfPresent(String.self, forKey: .preset)
    match = try members.decodeIfPresent(Match.self, forKey: .match) ?? Match()
    when = try members.decodeIfPresent(When.self, forKey: .when) ?? When()
    lifetime = try members.decodeIfPresent(Int.self, forKey: .lifetime)
  }

  /// The rule after a change.
  package func changed(by change: FaultChange) -> FaultRule {
    FaultRule(
      name: change.name ?? name, preset: preset, match: change.match ?? match, when: change.when ?? when,
      action: change.action ?? action, lifetime: change.lifetime ?? lifetime)
  }
}

/// A change of a rule, coded as `PATCH /api/faults/{id}` takes it; nil leaves a property as it is.
package struct FaultChange: Decodable, Hashable, Sendable {
  private enum CodingKeys: String, CodingKey {
    case name, match, when, action, position
    case lifetime = "expiresInSeconds"
    case isArmed = "armed"
  }

  package var name: String?
  package var match: FaultRule.Match?
  package var when: FaultRule.When?
  package var action: FaultRule.Action?
  /// How long it stays armed from now on, in seconds; 0 for no end.
  package var lifetime: Int?
  /// Armed, starting from zero, or disarmed.
  package var isArmed: Bool?
  /// Its index among the rules; clamped to the end.
  package var position: Int?

  /// Creates a change without effect.
  package init() {}
}
