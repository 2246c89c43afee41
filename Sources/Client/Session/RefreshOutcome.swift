/// How a refresh ended for those who waited for it.
package enum RefreshOutcome: Hashable, Sendable {
  /// New tokens are held.
  case refreshed
  /// It failed for a passing reason; the session stays.
  case failed(NetworkError)
  /// The session is over, by the refresh or by something else.
  case ended
  /// The waiting task was cancelled; the refresh goes on.
  case cancelled
  /// The waiting call's own time ran out; the refresh goes on.
  case timedOut
}

/// What caused a refresh, for the network log.
package struct RefreshCause: Hashable, Sendable {
  /// The user action it belongs to.
  package let flow: Flow?
  /// The row of the attempt that was refused with 401; nil for a refresh ahead of expiry.
  package let parentRow: String?

  /// Makes a cause of its parts.
  package init(flow: Flow? = nil, parentRow: String? = nil) {
    self.flow = flow
    self.parentRow = parentRow
  }
}

/// Exchanges a refresh token for a new pair, in a chain that has neither auth nor 401 handling.
package typealias RefreshCall =
  @Sendable (_ refreshToken: String, _ cause: RefreshCause) async throws(NetworkError) -> SessionTokens
