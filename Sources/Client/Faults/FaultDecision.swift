package import Observability

/// The combined effect of the rules on one attempt.
package struct FaultDecision: Hashable, Sendable {
  /// The replacement for sending the attempt and returning its response.
  package enum Outcome: Hashable, Sendable {
    /// A made-up response is returned, and nothing is sent.
    case answer(FaultResponse)
    /// A response that the user wrote is returned, and nothing is sent.
    case written(FaultRule.Action)
    /// It fails before anything is sent.
    case fail(TransportError)
    /// It times out after the duration, or at the call's own timeout.
    case stall(Duration?)
    /// It is sent, and the response is lost.
    case dropResponse
    /// It is sent, and the body of the response is truncated.
    case truncateResponse
    /// It is sent, and a member of the response's JSON is changed; the seed decides which and how.
    case mangleResponse(seed: UInt64)
  }

  /// The delay before anything else.
  package private(set) var latency = Duration.zero
  /// The clock skew for this attempt, in seconds.
  package private(set) var skewSeconds: Int64 = 0
  /// Nil if the attempt is sent as usual.
  package private(set) var outcome: Outcome?
  /// The ids of the rules that applied, in order.
  package var ruleIDs: [String] { rules.map(\.id) }
  /// The rules that applied, in order.
  private var rules: [ActedRule] = []

  /// Creates a decision that changes nothing.
  init() {}

  /// Whether nothing is sent, so that the backend's reachability does not matter.
  var isSynthetic: Bool {
    switch outcome {
    case nil, .dropResponse, .truncateResponse, .mangleResponse: false
    case .answer, .written, .fail, .stall: true
    }
  }

  /// Whether the rule creates a response in the contract's form.
  var isContract: Bool { if case .answer = outcome { true } else { false } }

  /// The fault that the attempt's row shows: the rule that decided the outcome, or else the first one.
  var attribution: FaultAttribution? {
    guard let first = rules.first else { return nil }
    let rule = outcome == nil ? first : rules.last ?? first
    return FaultAttribution(ruleID: rule.id, fault: rule.fault, source: outcome == nil ? nil : .fault)
  }

  /// Whether the rule changes the body of the response, so that it needs one.
  var changesBody: Bool {
    switch outcome {
    case .truncateResponse, .mangleResponse: true
    default: false
    }
  }

  /// Adds the action of a rule that applies; `seed` decides the random parts.
  mutating func add(_ rule: FaultRule, id: String, seed: UInt64 = 0) {
    rules.append(ActedRule(id: id, fault: RowFault(rule)))
    let action = rule.action
    let delay = action.latencyMilliseconds.map { Duration.milliseconds($0) }
    if action.kind != .timeout, let delay { latency += delay }
    switch action.kind {
    case .latency, .storageFull: break
    case .clockSkew: if skewSeconds == 0 { skewSeconds = Int64(action.skewSeconds ?? 0) }
    case .status: outcome = .answer(FaultResponse(action))
    case .answer: outcome = .written(action)
    case .rateLimit: outcome = .answer(FaultResponse(action, status: 429, retryAfterSeconds: action.retryAfterSeconds ?? 30))
    case .offline: outcome = .fail(.offline(kind: .notConnected))
    case .timeout: outcome = .stall(delay)
    case .reset: outcome = .dropResponse
    case .malformedBody: outcome = .truncateResponse
    case .mangleFields: outcome = .mangleResponse(seed: seed)
    case .expireAccessToken: outcome = .answer(.accessTokenExpired)
    case .revokeRefreshToken: outcome = .answer(FaultResponse.refreshTokenRevoked(code: action.code))
    case .unregisterDevice: outcome = .answer(.deviceNotRegistered)
    case .pinMismatch: outcome = .fail(.pinMismatch(presented: []))
    case .tlsFailure: outcome = .fail(.tls("a fault rule"))
    }
  }
}

/// The fault rule that applied to a row's attempt.
struct FaultAttribution: Hashable, Sendable {
  let ruleID: String
  let fault: RowFault
  /// `fault` if the client received something other than the backend's response; nil otherwise.
  let source: NetworkRow.Source?
}

/// A rule that applied, as it was then.
private struct ActedRule: Hashable, Sendable {
  let id: String
  let fault: RowFault
}

extension RowFault {
  /// The trace that a rule leaves on a row.
  package init(_ rule: FaultRule) { self.init(name: rule.name, action: rule.action.kind.rawValue, preset: rule.preset) }
}
