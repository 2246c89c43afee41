package import FoundationEssentials

/// Where a device's session stands, as everybody outside the controller sees it (seed 000 §3.1).
package struct SessionState: Hashable, Sendable {
  /// The four states of the seed.
  package enum Phase: String, Sendable {
    case signedOut = "signed_out"
    case authenticated
    case refreshing
    /// Tokens are kept; the last refresh failed for a passing reason.
    case error
  }

  /// Grows with every change, so that a late listener can drop what is old.
  package var number: UInt64
  package var phase: Phase
  package var since: Date
  /// Why the session is where it is: a logout reason or a refresh failure, as a stable word.
  package var reason: String?
  /// When the tokens were asked for, where their lifetime is known.
  package var tokensIssuedAt: Date?
  package var accessExpiresAt: Date?
  package var refreshExpiresAt: Date?
  package var user: User?

  /// Makes a state of its parts.
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

  /// Whether tokens are held.
  package var isSignedIn: Bool { phase != .signedOut }
}

/// Why a session ended; its raw value is what the console and the timeline show.
package enum LogoutReason: String, Hashable, Sendable {
  case user
  case refreshTokenExpired = "refresh_token_expired"
  case deviceNotRegistered = "device_not_registered"
  case refreshTokenReused = "refresh_token_reused"
  case invalidToken = "invalid_token"
  case accessTokenRejected = "access_token_rejected"
  /// The user asked for the account's deletion, which is scheduled.
  case accountDeletion = "account_deletion"
  case vaultDamaged = "vault_damaged"
}
