package import Domain

/// How a refresh ended for a call that waited for it.
package enum RefreshOutcome: Hashable, Sendable {
  /// There are new tokens.
  case refreshed
  /// It failed for a transient reason; the session stays.
  case failed(NetworkError)
  /// The session is over, because of the refresh or something else.
  case ended
  /// The waiting task was canceled; the refresh continues.
  case cancelled
  /// The waiting call timed out; the refresh continues.
  case timedOut
}

/// The cause of a refresh, for the network log.
package struct RefreshCause: Hashable, Sendable {
  /// The user action that it belongs to.
  package let flow: Flow?
  /// The row of the attempt that got a 401; nil for a refresh ahead of expiry.
  package let parentRow: String?
  package init(flow: Flow? = nil, parentRow: String? = nil) {
    self.flow = flow
    self.parentRow = parentRow
  }
}

/// Why a refresh failed, and whether the failure ends the session.
package struct RefreshFailure: Error, Hashable, Sendable {
  package let error: NetworkError
  /// Why the session is over, if the backend rejected the refresh token; nil if the token may still be valid.
  package let refusal: LogoutReason?

  package init(_ error: NetworkError, refusal: LogoutReason? = nil) {
    self.error = error
    self.refusal = refusal
  }
}

/// Returns, right before an attempt is sent, why it must not be sent; nil if it may.
package typealias Admission = @Sendable () async -> NetworkError?

/// Exchanges the refresh token of a session for a new pair, without authentication or 401 handling; calls `admission` before each
/// attempt.
package typealias RefreshCall =
  @Sendable (_ tokens: SessionTokens, _ cause: RefreshCause, _ admission: @escaping Admission) async throws(RefreshFailure)
  -> SessionTokens

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
