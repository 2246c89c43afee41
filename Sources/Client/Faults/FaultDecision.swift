import Observability

/// What the rules do to one attempt together.
package struct FaultDecision: Hashable, Sendable {
  /// What becomes of the attempt in place of going out and being answered.
  package enum Outcome: Hashable, Sendable {
    /// An answer that the backend did not give.
    case answer(FaultResponse)
    /// It fails before anything is sent.
    case fail(TransportError)
    /// Nothing happens until it is given up after so long, or at the call's own limit.
    case stall(Duration?)
    /// It goes out, and its answer never arrives.
    case dropResponse
    /// It goes out, and the body of its answer is cut.
    case truncateResponse
  }

  /// How long before it happens.
  package private(set) var latency = Duration.zero
  /// How far the client's wall clock is ahead for this attempt, in seconds.
  package private(set) var skewSeconds: Int64 = 0
  /// nil where it goes out and is answered as ever.
  package private(set) var outcome: Outcome?
  /// The rules that acted, in their order.
  package private(set) var ruleIDs: [String] = []

  /// Decides nothing yet.
  init() {}

  /// Whether nothing is sent, so that whether the backend is in reach does not matter.
  var isSynthetic: Bool {
    switch outcome {
    case nil, .dropResponse, .truncateResponse: false
    case .answer, .fail, .stall: true
    }
  }

  /// What the attempt's row says of it: the rule that decided the outcome, or else the first, and whether the answer is its own.
  var attribution: FaultAttribution? {
    guard let first = ruleIDs.first else { return nil }
    return FaultAttribution(ruleID: outcome == nil ? first : ruleIDs.last ?? first, source: outcome == nil ? nil : .fault)
  }

  /// Takes in what a rule that acts does.
  mutating func add(_ action: FaultRule.Action, id: String) {
    ruleIDs.append(id)
    let delay = action.latencyMilliseconds.map { Duration.milliseconds($0) }
    if action.kind != .timeout, let delay { latency += delay }
    switch action.kind {
    case .latency, .storageFull: break
    case .clockSkew: if skewSeconds == 0 { skewSeconds = Int64(action.skewSeconds ?? 0) }
    case .status: outcome = .answer(FaultResponse(action))
    case .rateLimit: outcome = .answer(FaultResponse(action, status: 429, retryAfterSeconds: action.retryAfterSeconds ?? 30))
    case .offline: outcome = .fail(.offline(kind: .notConnected))
    case .timeout: outcome = .stall(delay)
    case .reset: outcome = .dropResponse
    case .malformedBody: outcome = .truncateResponse
    case .expireAccessToken: outcome = .answer(.accessTokenExpired)
    case .revokeRefreshToken: outcome = .answer(FaultResponse.refreshTokenRevoked(code: action.code))
    case .unregisterDevice: outcome = .answer(.deviceNotRegistered)
    case .pinMismatch: outcome = .fail(.pinMismatch(presented: []))
    case .tlsFailure: outcome = .fail(.tls("a fault rule"))
    }
  }
}

/// What a row says of the fault that acted on its attempt.
struct FaultAttribution: Hashable, Sendable {
  let ruleID: String
  /// `fault` where what the client saw is not what the backend answered; nil where it is.
  let source: NetworkRow.Source?
}
