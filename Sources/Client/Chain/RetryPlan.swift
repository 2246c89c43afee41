import RPC

/// Decides whether and when a failed call is retried (seed-rules C-12 to C-16 "(Retry)"); has no clock.
package enum RetryPlan {
  /// The most attempts of a call; a replay after a refresh does not count.
  package static let attempts = 3
  /// The longest `Retry-After` that is waited for, in seconds; a longer one is returned to the caller.
  private static let longestWait = 2

  /// Whether a response with the status and the backend's code may be retried.
  package static func isRetryable(status: Int, code: String? = nil) -> Bool {
    if (400...499).contains(status), code == BackendErrorCode.tooManyAttempts { return true }
    return [408, 429, 500, 502, 503, 504].contains(status)
  }

  /// Whether a transport failure may be retried; failures of trust and cancellations never are.
  package static func isRetryable(_ error: TransportError) -> Bool {
    switch error {
    case .offline, .timedOut, .connectionLost: true
    case .tls, .pinMismatch, .cancelled, .responseTooLarge, .malformedResponse, .invalidURL: false
    }
  }

  /// How long to wait before the next attempt; nil if there is none.
  ///
  /// `retryAfterSeconds` is the least wait; `random` is that of ``Backoff/pause(_:longest:random:)``. Returns nil if the retry could
  /// not start before the deadline.
  package static func delay(
    afterAttempt attempt: Int, retryAfterSeconds: Int?, backoff: Backoff, random: Double, now: ContinuousClock.Instant,
    deadline: ContinuousClock.Instant
  ) -> Duration? {
    guard attempt < attempts else { return nil }
    let asked = retryAfterSeconds ?? 0
    guard asked <= longestWait else { return nil }
    let delay = max(backoff.pause(attempt, random: random), .seconds(asked))
    return now + delay < deadline ? delay : nil
  }
}

/// The pauses of a series of attempts: the first, doubled each time up to the longest (seed-rules C-16 "1, 2, 4 s", N-20 "grows
/// exponentially").
package struct Backoff: Hashable, Sendable {
  /// The pauses of the app: 1 s, 2 s, 4 s and so on.
  package static let standard = Backoff(first: .seconds(1))

  /// The first pause.
  package let first: Duration

  package init(first: Duration) { self.first = first }

  /// The pause with this number, from 1; never longer than `longest` times the first one.
  ///
  /// `random`, in 0 ..< 1, spreads it by ±10 %, so that clients that failed together do not retry together.
  package func pause(_ number: Int, longest: Int = 10, random: Double) -> Duration {
    let whole = min(1 << min(max(number - 1, 0), 10), longest)
    let millionths = 900_000 + Int(200_000 * min(max(random, 0), 1))
    return min(first * whole * millionths / 1_000_000, first * longest)
  }
}
