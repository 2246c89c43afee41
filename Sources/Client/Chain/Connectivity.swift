/// Whether the backend is in reach, judged by how attempts ended; a value without a clock (seed 000 §6.1).
///
/// It holds nobody back for good: once an interval has passed, the next call goes out to see, whoever makes it.
package struct Connectivity: Hashable, Sendable {
  /// What an attempt told of the way to the backend.
  package enum Signal: Hashable, Sendable {
    /// Something answered.
    case reached
    /// No connection was made.
    case unreachable
  }

  /// What a call does now.
  package enum Admission: Hashable, Sendable {
    /// Go out.
    case go
    /// Fail with `offline` at once.
    case refuse
    /// Wait until another call reaches the backend, at most until the instant.
    case wait(until: ContinuousClock.Instant)
  }

  /// So many attempts in a row that reached nothing make it clear.
  package static let threshold = 3

  /// So long after a call that goes out to see, those that come with it go out too: a page asks for several things at once, and
  /// half an answer would look like none.
  static let probeWindow = Duration.milliseconds(250)

  /// How many attempts in a row reached nothing.
  package private(set) var failures = 0
  /// From when on the next call goes out to see.
  private var nextProbe: ContinuousClock.Instant?
  /// Until when calls go out beside the one that is to see.
  private var probeWindowEnd: ContinuousClock.Instant?

  /// Makes a judgement that expects the best.
  package init() {}

  /// Whether it is clear that the backend is out of reach.
  package var isOffline: Bool { failures >= Self.threshold }

  /// Whether the last attempt reached nothing.
  package var hasRecentFailure: Bool { failures > 0 }

  /// What a call does now; a patient one waits where another would fail or try its luck.
  package mutating func admit(canWait: Bool, now: ContinuousClock.Instant) -> Admission {
    guard let nextProbe else { return .go }
    if now >= nextProbe {
      // This one is to see; what does not come with it goes on as before until it has, or has taken too long.
      self.nextProbe = now + Self.interval(after: failures)
      probeWindowEnd = now + Self.probeWindow
      return .go
    }
    if canWait { return .wait(until: nextProbe) }
    if let probeWindowEnd, now < probeWindowEnd { return .go }
    return isOffline ? .refuse : .go
  }

  /// Lets the next call go out to see, however recently others reached nothing.
  package mutating func allowProbe(now: ContinuousClock.Instant) { if nextProbe != nil { nextProbe = now } }

  /// Takes in how an attempt ended.
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

  /// How long until a call goes out to see: 1, 2, 4 s, then 5 s.
  static func interval(after failures: Int) -> Duration { .seconds(min(1 << min(max(failures - 1, 0), 3), 5)) }
}

extension Connectivity.Signal {
  /// What a failed attempt tells of the way to the backend; nil where it tells nothing.
  init?(_ error: TransportError) {
    switch error {
    case .offline, .timedOut(.connect): self = .unreachable
    case .connectionLost, .tls, .pinMismatch, .responseTooLarge, .malformedResponse: self = .reached
    case .timedOut, .cancelled, .invalidURL: return nil
    }
  }
}
