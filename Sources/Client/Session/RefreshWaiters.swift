/// The calls that wait for a refresh, each with its own continuation, so that one can leave while the others stay.
struct RefreshWaiters {
  private var continuations: [UInt64: CheckedContinuation<RefreshOutcome, Never>] = [:]

  /// The number of waiting calls.
  var count: Int { continuations.count }

  /// Adds a waiter with a unique id.
  mutating func add(_ id: UInt64, _ continuation: CheckedContinuation<RefreshOutcome, Never>) {
    continuations[id] = continuation
  }

  /// Resumes one waiter if it is still waiting.
  mutating func resume(_ id: UInt64, with outcome: RefreshOutcome) {
    continuations.removeValue(forKey: id)?.resume(returning: outcome)
  }

  /// Resumes all waiters.
  mutating func resumeAll(with outcome: RefreshOutcome) {
    let waiting = continuations
    continuations = [:]
    for continuation in waiting.values { continuation.resume(returning: outcome) }
  }
}
