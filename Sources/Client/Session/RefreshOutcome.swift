/// How a refresh ended for a call that waited for it.
package enum RefreshOutcome: Hashable, Sendable {
  /// There are new tokens.
  case refreshed
  /// It failed for a transient reason; the session stays.
  case failed(NetworkError)
  /// The session is over, because of the refresh or something else.
  case ended
  /// The waiting task was cancelled; the refresh continues.
  case cancelled
  /// The waiting call timed out; the refresh continues.
  case timedOut
}

/// What caused a refresh, for the network log.
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

/// Exchanges a refresh token for a new pair, without authentication or 401 handling.
package typealias RefreshCall =
  @Sendable (_ refreshToken: String, _ cause: RefreshCause) async throws(NetworkError) -> SessionTokens
