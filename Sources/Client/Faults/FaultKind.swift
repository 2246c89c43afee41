/// What a fault rule does to an attempt (contract §2.5).
package enum FaultKind: String, Codable, CaseIterable, Sendable {
  /// Answers with a status and an error body of the backend's shape.
  case status
  /// Answers 429 with `Retry-After`.
  case rateLimit = "rate_limit"
  /// No network: nothing is sent.
  case offline
  /// Silence until the call's own limit of time.
  case timeout
  /// The request goes out and is carried out; the connection ends before the answer.
  case reset
  /// The attempt goes out late; adds to what other rules do.
  case latency
  /// The request goes out; the body of the answer is cut in the middle.
  case malformedBody = "malformed_body"
  /// 401 `ErrAccessTokenExpired` to a call of the session, without sending.
  case expireAccessToken = "expire_access_token"
  /// 401 to the refresh call, without sending.
  case revokeRefreshToken = "revoke_refresh_token"
  /// 401 `ErrDeviceNotRegistered` to a call of the session or to the refresh call, without sending.
  case unregisterDevice = "unregister_device"
  /// The client's wall clock is wrong; adds to what other rules do.
  case clockSkew = "clock_skew"
  /// No key of the backend's chain is pinned: no byte leaves.
  case pinMismatch = "pin_mismatch"
  /// No trusted TLS connection: no byte leaves.
  case tlsFailure = "tls_failure"
  /// Tokens cannot be written: the backend answers, and this device cannot keep it.
  case storageFull = "storage_full"

  /// Whether later rules are passed over once one of this kind acted.
  package var stopsEvaluation: Bool { self != .latency && self != .clockSkew }

  /// How often a rule acts that does not say so; nil for no limit.
  package var defaultCount: Int? { self == .expireAccessToken ? 1 : nil }

  /// Whether attempts under it tell the client that the backend is out of reach or silent, which it remembers for a while.
  var hidesBackend: Bool { self == .offline || self == .timeout }

  /// Whether a rule of this kind can act on an attempt at all, whatever it is matched by.
  func applies(to attempt: FaultAttempt) -> Bool {
    switch self {
    case .expireAccessToken: attempt.isAuthorized
    case .revokeRefreshToken: attempt.isRefresh
    case .unregisterDevice: attempt.isAuthorized || attempt.isRefresh
    // It acts where tokens are kept.
    case .storageFull: false
    default: true
    }
  }
}
