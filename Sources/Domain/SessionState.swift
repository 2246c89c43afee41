package import FoundationEssentials

/// The state of a device's session as the session controller publishes it (seed-rules N-38 "signed out, authenticated").
package struct SessionState: Hashable, Sendable {
  /// The four states of a session.
  package enum Phase: String, Sendable {
    case signedOut = "signed_out"
    case authenticated
    case refreshing
    /// The session still has its tokens, but the last refresh failed for a transient reason.
    case error
  }

  /// Increases with every change, so that a late observer can ignore outdated states.
  package var number: UInt64
  package var phase: Phase
  package var since: Date
  /// Why the session entered the phase: the code of a logout reason or of a refresh failure.
  package var reason: String?
  /// When the tokens were requested; nil if their lifetime is unknown.
  package var tokensIssuedAt: Date?
  package var accessExpiresAt: Date?
  package var refreshExpiresAt: Date?
  package var user: User?

  package init(
    number: UInt64, phase: Phase, since: Date, reason: String? = nil, tokensIssuedAt: Date? = nil,
    accessExpiresAt: Date? = nil, refreshExpiresAt: Date? = nil, user: User? = nil
  ) {
    self.number = number
    self.phase = phase
    self.since = since
    self.reason = reason
    self.tokensIssuedAt = tokensIssuedAt
    self.accessExpiresAt = accessExpiresAt
    self.refreshExpiresAt = refreshExpiresAt
    self.user = user
  }

  /// Whether the session has tokens.
  package var isSignedIn: Bool { phase != .signedOut }
}
