/// The meaning of an error's text for a token; a text that lists several causes means nothing.
struct ErrorWords: Sendable {
  let saysExpired: Bool
  let saysReused: Bool
  let saysEndedElsewhere: Bool
  let saysTime: Bool
  /// Whether it is about the load or the state of the backend.
  let saysBusy: Bool
  /// Whether it is about the app's own credentials.
  let saysClient: Bool

  init(_ message: String) {
    func has(_ phrases: [String]) -> Bool { phrases.contains { message.contains($0) } }
    // RFC 6749 describes every invalid grant as `invalid, expired, or revoked`.
    let lists = has([
      "expired or", "expired, or", "or expired", "or revoked", "revoked or", "revoked, or", "invalid or", "expired, revoked",
      "revoked, expired", "expired/revoked", "revoked/expired", "invalid/expired",
    ])
    saysExpired = !lists && has(["expired", "has ended", "too old", "inactivity"])
    saysReused =
      !lists
      && has([
        "already used", "already been used", "already_used", "reused", "token_reuse", "reuse detected", "replayed",
        "was used before", "already been exchanged", "already rotated",
      ])
    saysEndedElsewhere =
      !lists
      && has([
        "revoked", "another device", "other device", "elsewhere", "session_terminated", "session terminated", "session_closed",
        "session was closed", "session_ended", "session ended", "signed out", "signed_out", "logged out", "logged_out",
        "password was changed",
        "password changed", "password_changed", "password has been changed", "kicked", "terminated", "session_replaced",
        "session replaced", "another session", "other session", "concurrent", "new login",
        "new_login", "new device", "new_device", "device_removed", "device removed",
      ])
    saysTime = has([
      "not yet valid", "before issued", "used too early", "in the future", "at future", "clock", "skew", "not_before",
      "not before", "iat claim",
      "nbf claim", "(iat)", "(nbf)", "'iat'", "'nbf'", "\"iat\"", "\"nbf\"", "requesttimetooskewed", "timestamp",
      "signature expired",
      "not yet current", "request expired", "request_expired", "token not yet active", "time_skew", "time skew",
    ])
    saysBusy = has([
      "temporarily", "server_error", "slow_down", "rate limit", "rate_limit", "too many", "try again", "overload", "maintenance",
      "unavailable", "timeout", "throttl", "toomanyrequests", "limitexceeded",
    ])
    saysClient = has([
      "invalid_client", "unauthorized_client", "invalid_dpop", "use_dpop_nonce", "client assertion", "client_assertion",
    ])
  }
}
