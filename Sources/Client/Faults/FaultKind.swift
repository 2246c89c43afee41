/// The effect of a fault rule on an attempt (`POST /api/faults`).
package enum FaultKind: String, Codable, CaseIterable, Sendable {
  /// Responds with a status and an error body in the backend's format.
  case status
  /// Responds with 429 and `Retry-After`.
  case rateLimit = "rate_limit"
  /// No network: nothing is sent.
  case offline
  /// No response until the call times out.
  case timeout
  /// The request is sent and processed; the connection breaks before the response.
  case reset
  /// The attempt is delayed; adds to other rules.
  case latency
  /// The request is sent; the body of the response is truncated.
  case malformedBody = "malformed_body"
  /// The request is sent; a member of the response's JSON is dropped, renamed or null.
  case mangleFields = "mangle_fields"
  /// 401 `ErrAccessTokenExpired` to an authenticated call; nothing is sent.
  case expireAccessToken = "expire_access_token"
  /// 401 to the refresh call; nothing is sent.
  case revokeRefreshToken = "revoke_refresh_token"
  /// 401 `ErrDeviceNotRegistered` to an authenticated call or the refresh call; nothing is sent.
  case unregisterDevice = "unregister_device"
  /// The client's wall clock is wrong; adds to other rules.
  case clockSkew = "clock_skew"
  /// No key of the backend's chain is pinned; nothing is sent.
  case pinMismatch = "pin_mismatch"
  /// The TLS connection is not trusted; nothing is sent.
  case tlsFailure = "tls_failure"
  /// Responds with a status, header fields and a body that the user wrote; nothing is sent.
  case answer
  /// Tokens cannot be saved although the backend issued them.
  case storageFull = "storage_full"

  /// Whether later rules are skipped once a rule of this kind applied.
  package var stopsEvaluation: Bool { self != .latency && self != .clockSkew }

  /// How often a rule applies by default; nil for no limit.
  package var defaultCount: Int? { self == .expireAccessToken ? 1 : nil }

  /// Whether attempts under it make the client take the backend for unreachable for a while.
  var hidesBackend: Bool { self == .offline || self == .timeout }

  /// Whether a rule of this kind can apply to an attempt at all, regardless of its match.
  func applies(to attempt: FaultAttempt) -> Bool {
    switch self {
    case .expireAccessToken: attempt.isAuthorized
    case .revokeRefreshToken: attempt.isRefresh
    case .unregisterDevice: attempt.isAuthorized || attempt.isRefresh
    // It applies when tokens are saved.
    case .storageFull: false
    default: true
    }
  }
}
