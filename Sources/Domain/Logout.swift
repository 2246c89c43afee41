/// Ends the session on this device (seed-rules A-25 to A-27 "Logout").
package struct Logout: Sendable {
  private let gateway: AuthGateway
  private let analytics: Analytics

  package init(gateway: AuthGateway, analytics: Analytics) {
    self.gateway = gateway
    self.analytics = analytics
  }

  /// Ends the session and reports `auth.logout` if the user had allowed analytics.
  package func callAsFunction(reason: LogoutReason) async {
    // After the logout, no signed-in user's choice can be read.
    let isAllowed = await analytics.isAllowed()
    await gateway.logout(reason)
    if isAllowed { analytics.record(.logout(reason: reason)) }
  }

  /// Ends the session at the user's request, for `POST /api/logout`.
  ///
  /// Throws `CueError.unsyncedEdits` and keeps the session if ending it would discard unsent edits, unless `discardsEdits` is
  /// true.
  package func callAsFunction(unlessUnsent cues: CueGateway, discardsEdits: Bool) async throws(CueError) {
    try await cues.endSession(discardsEdits) { await self(reason: .user) }
  }
}

/// Why a session ended; the console and the timeline show the raw value.
package enum LogoutReason: String, Hashable, Sendable {
  case user
  case refreshTokenExpired = "refresh_token_expired"
  case deviceNotRegistered = "device_not_registered"
  case refreshTokenReused = "refresh_token_reused"
  case invalidToken = "invalid_token"
  case accessTokenRejected = "access_token_rejected"
  /// The backend rejected a call with an access token that a refresh had just returned, with another code or none.
  case unauthorized
  /// The backend reports that the session is over, by a rule of its backend file.
  case sessionEnded = "session_ended"
  /// The backend rejected the refresh for a reason that has no case of its own.
  case refreshRefused = "refresh_refused"
  /// The user requested the deletion of the account, and it is scheduled.
  case accountDeletion = "account_deletion"
  case vaultDamaged = "vault_damaged"

  /// Whether the backend rejected one access token, so that a newer one may still be valid.
  package var isOfToken: Bool { self == .accessTokenRejected || self == .invalidToken || self == .unauthorized }
}
