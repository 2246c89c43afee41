/// Judges from the outcome of attempts whether the backend is reachable, like a circuit breaker; a value without a clock
/// (seed-rules N-77 "Offline is detected", N-78 "fail at once").
///
/// It never blocks calls for good: once an interval has passed, the next call is sent as a probe.
package struct Connectivity: Hashable, Sendable {
  /// An attempt's evidence of the backend's reachability.
  package enum Signal: Hashable, Sendable {
    /// A peer responded.
    case reached
    /// No connection could be made.
    case unreachable
  }

  /// The decision about a call.
  package enum Admission: Hashable, Sendable {
    /// Send the attempt.
    case go
    /// Fail with `offline` at once.
    case refuse
    /// Wait until another call reaches the backend, at most until the instant.
    case wait(until: ContinuousClock.Instant)
  }

  /// The number of consecutive failures after which the backend counts as unreachable.
  package static let threshold = 3

  /// How long other calls may be sent along with a probe: a page sends several calls at once and would otherwise load in part.
  static let probeWindow = Duration.milliseconds(250)

  /// The number of consecutive failures.
  package private(set) var failures = 0
  /// When the next call may be sent as a probe.
  private var nextProbe: ContinuousClock.Instant?
  /// Until when other calls may be sent along with the probe.
  private var probeWindowEnd: ContinuousClock.Instant?

  /// Creates a state in which the backend counts as reachable.
  package init() {}

  /// Whether the backend counts as unreachable.
  package var isOffline: Bool { failures >= Self.threshold }

  /// Whether the last attempt failed to reach the backend.
  package var hasRecentFailure: Bool { failures > 0 }

  /// Decides about a call now; a call that can wait waits instead of failing or probing.
  package mutating func admit(canWait: Bool, now: ContinuousClock.Instant) -> Admission {
    guard let nextProbe else { return .go }
    if now >= nextProbe {
      // This call is the probe; calls outside its window are treated as before until it ends or the interval passes.
      self.nextProbe = now + Self.interval(after: failures)
      probeWindowEnd = now + Self.probeWindow
      return .go
    }
    if canWait { return .wait(until: nextProbe) }
    if let probeWindowEnd, now < probeWindowEnd { return .go }
    return isOffline ? .refuse : .go
  }

  /// Lets the next call be sent as a probe at once.
  package mutating func allowProbe(now: ContinuousClock.Instant) { if nextProbe != nil { nextProbe = now } }

  /// Records how an attempt ended.
  package mutating func note(_ signal: Signal, now: ContinuousClock.Instant) {
    switch signal {
    case .reached:
      failures = 0
      nextProbe = nil
      probeWindowEnd = nil
    case .unreachable:
      failures = min(failures + 1, 16)
      nextProbe = now + Self.interval(after: failures)
      probeWindowEnd = nil
    }
  }

  /// The time until the next probe: 1, 2, 4 s, then 5 s.
  private static func interval(after failures: Int) -> Duration { .seconds(min(1 << min(max(failures - 1, 0), 3), 5)) }
}

extension Connectivity.Signal {
  /// The reachability that a failed attempt shows; nil if it shows none.
  init?(_ error: TransportError) {
    switch error {
    case .offline, .timedOut(.connect): self = .unreachable
    case .connectionLost, .tls, .pinMismatch, .responseTooLarge, .malformedResponse: self = .reached
    case .timedOut, .cancelled, .invalidURL: return nil
    }
  }
}
