/// When a call that failed for a passing reason is sent again (seed 004); a value without a clock.
package enum RetryPlan {
  /// How often a call goes out at most; a replay after a refresh does not count.
  package static let attempts = 3
  /// A wait that the backend asks for is kept up to this; a longer one is the caller's to know.
  package static let longestWait: Duration = .seconds(60)

  /// Whether an answer with the status may be followed by another attempt.
  package static func isRetryable(status: Int) -> Bool { [408, 429, 500, 502, 503, 504].contains(status) }

  /// Whether a failure below HTTP may be followed by another attempt; one of trust, or the caller's wish, never.
  package static func isRetryable(_ error: TransportError) -> Bool {
    switch error {
    case .offline, .timedOut, .connectionLost: true
    case .tls, .pinMismatch, .cancelled, .responseTooLarge, .malformedResponse, .invalidURL: false
    }
  }

  /// The most that is waited after so many attempts: 1, 2, 4 s and on, at most 10 s.
  package static func backoff(afterAttempt attempt: Int) -> Duration {
    .seconds(min(1 << min(max(attempt - 1, 0), 4), 10))
  }

  /// How long to wait after so many attempts; nil where none follows.
  ///
  /// `random` lies in 0 ..< 1 and spreads the back-off over its whole length (full jitter); `retryAfterSeconds` is the least
  /// that is waited. None follows that could not begin before the deadline.
  package static func delay(
    afterAttempt attempt: Int, retryAfterSeconds: Int?, random: Double, now: ContinuousClock.Instant,
    deadline: ContinuousClock.Instant
  ) -> Duration? {
    guard attempt < attempts else { return nil }
    let asked = Duration.seconds(retryAfterSeconds ?? 0)
    guard asked <= longestWait else { return nil }
    let delay = max(backoff(afterAttempt: attempt) * min(max(random, 0), 1), asked)
    return now + delay < deadline ? delay : nil
  }
}
