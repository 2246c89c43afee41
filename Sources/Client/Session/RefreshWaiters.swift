/// The calls that wait for a refresh, each with a continuation of its own, so that one can leave while the others stay.
struct RefreshWaiters {
  private var continuations: [UInt64: CheckedContinuation<RefreshOutcome, Never>] = [:]

  /// How many wait.
  var count: Int { continuations.count }

  /// Adds a waiter under an id that is used once.
  mutating func add(_ id: UInt64, _ continuation: CheckedContinuation<RefreshOutcome, Never>) {
    continuations[id] = continuation
  }

  /// Lets one waiter go, if it still waits.
  mutating func resume(_ id: UInt64, with outcome: RefreshOutcome) {
    continuations.removeValue(forKey: id)?.resume(returning: outcome)
  }

  /// Lets all waiters go.
  mutating func resumeAll(with outcome: RefreshOutcome) {
    let waiting = continuations
    continuations = [:]
    for continuation in waiting.values { continuation.resume(returning: outcome) }
  }
}
